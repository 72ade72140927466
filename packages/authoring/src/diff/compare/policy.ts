import { isDeepStrictEqual } from 'node:util';
import { followSeconds } from 'querygate/catalog';
import type { SavedQuery } from 'querygate';
import type { CachePolicy, PrometheusText } from '../../catalog-types.ts';
import { type Change, change, fromTo, matchBy, type Pair, removal } from '../change.ts';
import type { Kind } from '../verdicts.ts';

/** Changes of how many rows a result has, how long it is cached, who may read it, and of the other keys of the header. */
export function comparePolicy(pair: Pair): readonly Change[] {
  const { before, after } = pair;
  const changes: Change[] = [
    ...compareTenant(before.tenant, after.tenant),
    ...compareUnchecked(before.tenantUnchecked, after.tenantUnchecked),
    ...compareCaching(pair),
    ...compareRuns(pair),
  ];
  const add = (kind: Kind, key: string, text: string) => void changes.push(change(kind, [key], text));
  if (before.maxRows !== after.maxRows) {
    const kind = after.maxRows < before.maxRows ? 'max-rows-lowered' : 'max-rows-raised';
    add(kind, 'max_rows', `max_rows ${fromTo(before.maxRows, after.maxRows)}`);
  }
  for (const [what, key] of [
    ['label', 'labels'],
    ['tag', 'tags'],
  ] as const) {
    const { added, removed } = matchBy(before[key] ?? [], after[key] ?? [], (name) => name);
    for (const name of removed) changes.push(removal(`${what}-removed`, [key], `${what} ${name} removed`));
    for (const name of added) add(`${what}-added`, key, `${what} ${name} added`);
  }
  if (before.querySandboxing !== after.querySandboxing) {
    const kind = after.querySandboxing === 'enabled' ? 'sandboxing-enabled' : 'sandboxing-disabled';
    const text = `query_sandboxing ${fromTo(before.querySandboxing, after.querySandboxing)}`;
    add(kind, 'query_sandboxing', text);
  }
  const [wasStrict, isStrict] = [before, after].map((one) => one.isStrict === true);
  if (isStrict && !wasStrict) add('strict', 'strict', 'undeclared parameters are refused');
  if (wasStrict && !isStrict)
    changes.push(removal('strict-removed', ['strict'], 'undeclared parameters are ignored'));
  for (const [key, kind] of [
    ['deprecated', 'deprecation'],
    ['shadow', 'shadow'],
  ] as const) {
    const [old, now] = [before[key], after[key]];
    if (isDeepStrictEqual(old, now)) continue;
    const what = old === undefined ? 'added' : now === undefined ? 'removed' : 'changed';
    changes.push((now === undefined ? removal : change)(kind, [key], `${key} ${what}`));
  }
  if (before.description !== after.description) add('description', 'description', 'description changed');
  return [...changes, ...comparePrometheus(before.prometheus, after.prometheus)];
}

function compareTenant(old: SavedQuery['tenant'], now: SavedQuery['tenant']): readonly Change[] {
  const path = ['parameters', (now ?? old)?.parameter ?? '', 'tenant'];
  if (old === undefined)
    return now ? [change('tenant-added', path, `parameter ${now.parameter} is the tenant now`)] : [];
  if (now === undefined)
    return [removal('tenant-removed', path, `parameter ${old.parameter} is no longer the tenant`)];
  if (old.parameter !== now.parameter)
    return [change('tenant-moved', path, `tenant ${fromTo(old.parameter, now.parameter)}`)];
  if (old.pattern === now.pattern) return [];
  const text = `tenant_pattern ${fromTo(old.pattern, now.pattern)}`;
  return [change('tenant-pattern', ['parameters', now.parameter, 'tenant_pattern'], text)];
}

function compareUnchecked(old: string | undefined, now: string | undefined): readonly Change[] {
  const path = ['tenant_unchecked'];
  if (old === now) return [];
  if (now === undefined) return [removal('tenant-checked', path, 'tenant_unchecked removed')];
  if (old === undefined) return [change('tenant-unchecked', path, 'tenant_unchecked added')];
  return [change('description', path, 'reason of tenant_unchecked changed')];
}

function compareCaching({ before, after }: Pair): readonly Change[] {
  const changes: Change[] = [];
  const old = before.caching === 'disabled' ? undefined : before.caching;
  const now = after.caching === 'disabled' ? undefined : after.caching;
  if (old?.ttlSeconds !== now?.ttlSeconds) {
    const isLonger = (now?.ttlSeconds ?? 0) > (old?.ttlSeconds ?? 0);
    const text = `caching ${fromTo(seconds(old?.ttlSeconds), seconds(now?.ttlSeconds))}`;
    changes.push(change(isLonger ? 'caching-longer' : 'caching-shorter', ['caching'], text));
  }
  if (old?.warmingSeconds !== now?.warmingSeconds) {
    const text = `cache_warming ${fromTo(seconds(old?.warmingSeconds), seconds(now?.warmingSeconds))}`;
    changes.push(change('cache-warming', ['cache_warming'], text));
  }
  const [followedBefore, followedNow] = [followSeconds(before.caching), followSeconds(after.caching)];
  if (followedBefore !== undefined && followedNow === undefined)
    changes.push(removal('live-removed', ['live'], 'the result cannot be followed any more'));
  else if (old?.liveSeconds !== now?.liveSeconds)
    changes.push(change('live', ['live'], `live ${fromTo(interval(old), interval(now))}`));
  else if (followedBefore === undefined && followedNow !== undefined)
    changes.push(change('live', ['live'], 'the result can be followed now'));
  if (JSON.stringify(before.rowKey) !== JSON.stringify(after.rowKey))
    changes.push(change('live', ['key'], `key ${fromTo(before.rowKey, after.rowKey)}`));
  if (JSON.stringify(before.warm) !== JSON.stringify(after.warm))
    changes.push(change('cache-warming', ['warm'], 'warm changed'));
  const [stale, staleNow] = [old?.staleIfErrorSeconds ?? 0, now?.staleIfErrorSeconds ?? 0];
  if (old === undefined || stale === staleNow) return changes;
  // By default it follows the time of caching.
  const follows = stale === old.ttlSeconds && staleNow === now?.ttlSeconds;
  if (follows) return changes;
  const kind = staleNow < stale ? 'stale-shorter' : 'stale-longer';
  const text = `stale_if_error ${fromTo(seconds(stale), seconds(now?.staleIfErrorSeconds))}`;
  return [...changes, change(kind, ['stale_if_error'], text)];
}

/** Changes of how runs are paid for, and which rows they read. */
function compareRuns({ before, after }: Pair): readonly Change[] {
  const changes: Change[] = [];
  const add = (kind: Kind, key: 'budget' | 'reservation' | 'incremental' | 'batch', text: string) =>
    void changes.push((after[key] === undefined ? removal : change)(kind, [key], `${key} ${text}`));
  if (!isDeepStrictEqual(before.budget, after.budget)) {
    const isTighter = isTighterBudget(before.budget, after.budget);
    const text = fromTo(budgetText(before.budget), budgetText(after.budget));
    add(isTighter ? 'budget-tightened' : 'budget-loosened', 'budget', text);
  }
  if (before.reservation !== after.reservation)
    add('reservation', 'reservation', fromTo(before.reservation, after.reservation));
  const [old, now] = [before.incremental, after.incremental];
  if (!old !== !now) add('refreshes', 'incremental', fromTo(old !== undefined, now !== undefined));
  for (const key of ['late', 'reconcile'] as const) {
    const [was, is] = [old, now].map((policy) => policy?.[`${key}Seconds`]);
    if (was === undefined || is === undefined || was === is) continue;
    changes.push(change('refreshes', ['incremental'], `${key} ${fromTo(seconds(was), seconds(is))}`));
  }
  if (before.batch !== after.batch) add('refreshes', 'batch', fromTo(before.batch, after.batch));
  return changes;
}

type Budget = SavedQuery['budget'];

/** True if runs may be refused that were not. */
function isTighterBudget(before: Budget, after: Budget): boolean {
  if (after === undefined || after.isTracking) return false;
  return after.limits.some(({ name, unit, amount, perMs }) => {
    const old = before?.isTracking ? undefined : before?.limits.find((limit) => limit.name === name);
    return old === undefined || old.unit !== unit || amount < old.amount || perMs < old.perMs;
  });
}

const budgetText = (budget: Budget): string | undefined =>
  budget &&
  [
    ...budget.limits.map(
      ({ name, unit, amount, perMs }) =>
        `${name} ${name === 'rate' ? `${amount} ${unit}, ${perMs * 1000} a second` : `${amount} ${unit}`}`,
    ),
    ...(budget.isTracking ? ['tracking'] : []),
  ].join(', ');

const interval = (policy: CachePolicy | undefined) =>
  policy?.liveSeconds === undefined ? 'not set' : `${policy.liveSeconds}s`;

const seconds = (count: number | undefined) => (count === undefined ? 'disabled' : `${count}s`);

function comparePrometheus(
  before: PrometheusText | undefined,
  after: PrometheusText | undefined,
): readonly Change[] {
  const { both, removed, added } = matchBy(before?.metrics ?? [], after?.metrics ?? [], ({ name }) => name);
  const pathOf = (name: string) => ['prometheus', 'metrics', name];
  const changes: Change[] = [
    ...removed.map(({ name }) => removal('metric-removed', pathOf(name), `metric ${name} removed`)),
    ...added.map(({ name }) => change('metric-added', pathOf(name), `metric ${name} added`)),
  ];
  for (const [old, now] of both) {
    const text = `metric ${now.name}: column ${fromTo(old.column, now.column)}`;
    if (old.column !== now.column)
      changes.push(change('metric-changed', [...pathOf(now.name), 'column'], text));
    if (old.help !== now.help)
      changes.push(change('description', pathOf(now.name), `metric ${now.name}: help changed`));
  }
  const [oldLabels, labels] = [before?.labels, after?.labels].map((list) =>
    JSON.stringify([...(list ?? [])].sort()),
  );
  if (both.length === 0 || oldLabels === labels) return changes;
  const text = `labels of metrics ${fromTo(before?.labels, after?.labels)}`;
  return [...changes, change('metric-changed', ['prometheus', 'labels'], text)];
}
