import { groupOf, isWithinShares, keyOf, type Owner } from './fair-share.ts';

/** The use that owners have made of the resource that the queue is for. */
interface Use {
  ofGroup(group: string): number;
  ofKey(key: string | undefined): number;
}

/** A waiter in the queue; its kind decides which values it can be given. */
interface Waiter<T, Kind> {
  readonly kind: Kind;
  resolve(value: T): void;
}

/** The waiters of a group by key; the key whose turn is next comes first. */
interface Group<T, Kind> {
  readonly byKey: Map<string | undefined, Set<Waiter<T, Kind>>>;
  size: number;
}

/**
 * Waiters of several owners, which are served in turn: one waiter of each group of owners, in a group one of each key, each
 * key's in the order of their arrival. Waiters without an owner come when no other can be served. Each is given one value, or
 * leaves when its signal is aborted; a waiter that has left is never given anything.
 */
export class FairQueue<T = void, Kind = undefined> {
  /** The group whose turn is next comes first; groups that wait for nothing are not in it. */
  readonly #groups = new Map<string | undefined, Group<T, Kind>>();
  readonly #use: Use | undefined;
  #size = 0;

  /** @param use if given, who has used least is served first, and others take turns only with those that have used as much */
  constructor(use?: Use) {
    this.#use = use;
  }

  get size(): number {
    return this.#size;
  }

  /** True if one more waiter of the owner is within its share of a queue of this length. */
  hasRoom(owner: Owner, length: number): boolean {
    const group = this.#groups.get(groupOf(owner));
    const held = { ofGroup: group?.size ?? 0, ofKey: group?.byKey.get(keyOf(owner))?.size ?? 0 };
    return isWithinShares(owner, held, length - this.#size, 1);
  }

  /** @throws the signal's reason when it is aborted first */
  wait(signal: AbortSignal | undefined, kind: Kind, owner?: Owner): Promise<T> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const leave = () => {
        this.#remove(groupOf(owner), keyOf(owner), waiter);
        reject(signal?.reason);
      };
      const waiter: Waiter<T, Kind> = {
        kind,
        resolve(value) {
          signal?.removeEventListener('abort', leave);
          resolve(value);
        },
      };
      signal?.addEventListener('abort', leave, { once: true });
      this.#add(owner, waiter);
    });
  }

  /**
   * Serves the first waiter for which there is a value.
   *
   * @param valueFor gets the kind of a waiter; undefined passes it over
   * @returns whether a waiter was served
   */
  serveNext(valueFor: (kind: Kind) => T | undefined): boolean {
    if (this.#size === 0) return false;
    for (const name of this.#groupsInOrder()) {
      if (name !== undefined && this.#serve(name, valueFor)) return true;
    }
    return this.#serve(undefined, valueFor);
  }

  #serve(name: string | undefined, valueFor: (kind: Kind) => T | undefined): boolean {
    const group = this.#groups.get(name);
    if (group === undefined) return false;
    for (const key of this.#keysInOrder(group)) {
      for (const waiter of group.byKey.get(key) ?? []) {
        const value = valueFor(waiter.kind);
        if (value === undefined) continue;
        this.#remove(name, key, waiter);
        moveToEnd(group.byKey, key);
        moveToEnd(this.#groups, name);
        waiter.resolve(value);
        return true;
      }
    }
    return false;
  }

  #groupsInOrder(): Iterable<string | undefined> {
    const names = this.#groups.keys();
    const use = this.#use;
    return use === undefined
      ? names
      : inOrder(names, (name) => (name === undefined ? Number.POSITIVE_INFINITY : use.ofGroup(name)));
  }

  #keysInOrder({ byKey }: Group<T, Kind>): Iterable<string | undefined> {
    const use = this.#use;
    return use === undefined ? byKey.keys() : inOrder(byKey.keys(), (key) => use.ofKey(key));
  }

  #add(owner: Owner, waiter: Waiter<T, Kind>): void {
    const [name, key] = [groupOf(owner), keyOf(owner)];
    const known = this.#groups.get(name);
    const group = known ?? { byKey: new Map<string | undefined, Set<Waiter<T, Kind>>>(), size: 0 };
    if (known === undefined) this.#groups.set(name, group);
    const waiters = group.byKey.get(key);
    if (waiters === undefined) group.byKey.set(key, new Set([waiter]));
    else waiters.add(waiter);
    group.size += 1;
    this.#size += 1;
  }

  #remove(name: string | undefined, key: string | undefined, waiter: Waiter<T, Kind>): void {
    const group = this.#groups.get(name);
    const waiters = group?.byKey.get(key);
    if (group === undefined || waiters?.delete(waiter) !== true) return;
    this.#size -= 1;
    group.size -= 1;
    if (waiters.size === 0) group.byKey.delete(key);
    if (group.size === 0) this.#groups.delete(name);
  }
}

/** Whose turns are equal keep their order. */
function inOrder<T>(names: Iterable<T>, usedBy: (name: T) => number): readonly T[] {
  return Array.from(names, (name) => ({ name, used: usedBy(name) }))
    .sort((a, b) => a.used - b.used)
    .map(({ name }) => name);
}

function moveToEnd<K, V>(map: Map<K, V>, key: K): void {
  const value = map.get(key);
  if (value === undefined) return;
  map.delete(key);
  map.set(key, value);
}
