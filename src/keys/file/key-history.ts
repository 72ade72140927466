import { toBudget } from '../../config/budget.ts';
import { type Bound, bounds, budgetLimits, type KeyEntry, unboundedWord } from './key-schema.ts';
import type { ParsedKeys } from './parse-keys.ts';

/** The outcome of a change to the key file. */
export interface KeyFileDecision {
  /** The keys to use from now on. */
  readonly keys: readonly KeyEntry[];
  /** Why the file was refused; empty if it was accepted. */
  readonly refused: readonly string[];
  readonly changes: readonly KeyChange[];
}

/** For the log: how one key has changed. */
interface KeyChange {
  readonly key: string;
  readonly change: 'added' | 'removed' | 'revoked' | 'changed';
  /** The fields that differ, of a key that changed. */
  readonly fields?: readonly string[];
}

type Entries = ReadonlyMap<string, KeyEntry>;

/** A file whose keys come and go for years must not fill the memory. */
const maxRemembered = 100_000;

const notWhole =
  'it may have been cut: a YAML file must end with the number of its keys, as in "count: 3"; every `querygate keys` command that changes the file writes it';

/**
 * The keys in use, and every key that the file has had since the start. A changed file is accepted as a whole or not at all:
 * it must be whole, and no known key may gain anything merely because a bound is absent, as it is in a file that was cut or
 * overwritten in part. Of a file that is refused, only its revocations take effect.
 */
export class KeyHistory {
  #inUse: Entries;
  readonly #known: Map<string, KeyEntry>;

  constructor(keys: readonly KeyEntry[]) {
    this.#inUse = byId(keys);
    this.#known = new Map(this.#inUse);
  }

  /** @param parsed a file without problems */
  consider({ keys, isWhole }: Pick<ParsedKeys, 'keys' | 'isWhole'>): KeyFileDecision {
    const refused = [...(isWhole ? [] : [notWhole]), ...keys.flatMap((key) => this.#lostBounds(key))];
    const next = refused.length === 0 ? byId(keys) : this.#withRevocations(byId(keys));
    const changes = changesBetween(this.#inUse, next);
    this.#inUse = next;
    this.#remember(next);
    return { keys: [...next.values()], refused, changes };
  }

  #lostBounds(key: KeyEntry): readonly string[] {
    const before = this.#known.get(key.id);
    if (before === undefined) return [];
    const lost = bounds.filter((bound) => isLost(bound, before, key));
    const limits = budgetLimits.filter((limit) => isLostLimit(limit, before, key));
    return [
      ...lost.map((bound) => lossText(key.id, bound, unboundedWord[bound])),
      ...limits.map((limit) => lossText(key.id, `budget.${limit}`, 'unlimited')),
      ...(isLostBurst(before, key) ? [burstLossText(key.id)] : []),
    ];
  }

  #withRevocations(next: Entries): Entries {
    const entries = [...this.#inUse].map(([id, entry]): [string, KeyEntry] => {
      const revoked = entry.revoked ?? next.get(id)?.revoked;
      return [id, revoked === entry.revoked ? entry : { ...entry, revoked }];
    });
    return new Map(entries);
  }

  #remember(entries: Entries): void {
    for (const [id, entry] of entries) {
      this.#known.delete(id);
      this.#known.set(id, entry);
    }
    for (const id of this.#known.keys()) {
      if (this.#known.size <= maxRemembered) return;
      if (!this.#inUse.has(id)) this.#known.delete(id);
    }
  }
}

function byId(keys: readonly KeyEntry[]): Entries {
  return new Map(keys.map((key) => [key.id, key]));
}

function isLost(bound: Bound, before: KeyEntry, after: KeyEntry): boolean {
  return (
    boundOf(before, bound) !== undefined &&
    boundOf(after, bound) === undefined &&
    !after.stated.includes(bound)
  );
}

function boundOf(key: KeyEntry, bound: Bound): unknown {
  return bound === 'requests_per_minute' || bound === 'concurrent_queries' ? key.rate?.[bound] : key[bound];
}

/** Without any budget, that is what is lost. */
function isLostLimit(limit: (typeof budgetLimits)[number], before: KeyEntry, after: KeyEntry): boolean {
  return before.budget?.[limit] !== undefined && after.budget !== undefined && !(limit in after.budget);
}

/** Without `burst` a rate has one of its own, which may be larger. */
function isLostBurst({ budget: before }: KeyEntry, { budget: after }: KeyEntry): boolean {
  if (before?.burst === undefined || after?.rate === undefined || after.burst !== undefined) return false;
  const [old, now] = [before, after].map((budget) =>
    toBudget(budget).limits.find(({ name }) => name === 'rate'),
  );
  return old?.unit !== now?.unit || (now?.amount ?? 0) > (old?.amount ?? 0);
}

const burstLossText = (id: string) =>
  `key ${id} would lose its bound because budget.burst is absent, and rate alone allows what comes in an hour at once; write the burst that is meant`;

function lossText(id: string, bound: string, unbounded: string): string {
  const [, limit] = bound.split('budget.');
  const word = limit === undefined ? `${bound}: ${unbounded}` : `budget: { ${limit}: ${unbounded} }`;
  if (bound === 'revoked') {
    return `key ${id} is revoked, and would be valid again because revoked is absent; if that is meant, write "${word}"`;
  }
  return `key ${id} would lose its bound because ${bound} is absent; if that is meant, write "${word}"`;
}

function changesBetween(before: Entries, after: Entries): readonly KeyChange[] {
  const removed = [...before.keys()].filter((key) => !after.has(key));
  return [
    ...removed.map((key) => ({ key, change: 'removed' }) as const),
    ...[...after].flatMap(([key, entry]) => changeOf(key, before.get(key), entry)),
  ];
}

function changeOf(key: string, before: KeyEntry | undefined, after: KeyEntry): readonly KeyChange[] {
  if (before === undefined) return [{ key, change: 'added' }];
  const fields = comparedFields.filter((field) => !isEqual[field](before, after));
  if (fields.length === 0) return [];
  const isRevocation = before.revoked === undefined && after.revoked !== undefined;
  return [{ key, change: isRevocation ? 'revoked' : 'changed', fields }];
}

type List = readonly string[] | undefined;

const isEqualList = (a: List, b: List): boolean =>
  a === b || (a?.length === b?.length && a?.every((one, at) => one === b?.[at]) === true);

/** All keys are compared within one turn of the event loop, so each in as little time as possible. */
const isEqual = {
  name: (a, b) => a.name === b.name,
  sha256: (a, b) => a.sha256 === b.sha256,
  endpoints: (a, b) => isEqualList(a.endpoints, b.endpoints),
  tenants: (a, b) => isEqualList(a.tenants, b.tenants),
  allow: (a, b) => isEqualList(a.allow, b.allow),
  expires: (a, b) => a.expires?.getTime() === b.expires?.getTime(),
  rate: (a, b) =>
    a.rate?.requests_per_minute === b.rate?.requests_per_minute &&
    a.rate?.concurrent_queries === b.rate?.concurrent_queries,
  budget: (a, b) => JSON.stringify(a.budget) === JSON.stringify(b.budget),
  permissions: (a, b) => isEqualList(a.permissions, b.permissions),
  revoked: (a, b) => a.revoked?.getTime() === b.revoked?.getTime(),
} as const satisfies Record<string, (a: KeyEntry, b: KeyEntry) => boolean>;

const comparedFields = Object.keys(isEqual) as readonly (keyof typeof isEqual)[];
