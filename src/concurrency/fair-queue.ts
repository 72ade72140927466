import { isWithinShare, type Owner } from './fair-share.ts';

/** A waiter in the queue; its kind decides which values it can be given. */
interface Waiter<T, Kind> {
  readonly kind: Kind;
  resolve(value: T): void;
}

/**
 * Waiters of several owners, which are served in turn: one waiter of each owner, each owner's in the order of their
 * arrival. Waiters without an owner come when no other can be served. Each is given one value, or leaves when its signal
 * is aborted; a waiter that has left is never given anything.
 */
export class FairQueue<T = void, Kind = undefined> {
  /** The owner whose turn is next comes first; owners that wait for nothing are not in it. */
  readonly #owners = new Map<Owner, Set<Waiter<T, Kind>>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Whether one more waiter of the owner is within its share of a queue of this length. */
  hasRoom(owner: Owner, length: number): boolean {
    return isWithinShare(this.#owners.get(owner)?.size ?? 0, length - this.#size, 1);
  }

  /** @throws the signal's reason when it is aborted first */
  wait(signal: AbortSignal | undefined, kind: Kind, owner?: Owner): Promise<T> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const leave = () => {
        this.#remove(owner, waiter);
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
    for (const owner of this.#owners.keys()) {
      if (owner !== undefined && this.#serve(owner, valueFor)) return true;
    }
    return this.#serve(undefined, valueFor);
  }

  #serve(owner: Owner, valueFor: (kind: Kind) => T | undefined): boolean {
    const waiters = this.#owners.get(owner) ?? [];
    for (const waiter of waiters) {
      const value = valueFor(waiter.kind);
      if (value === undefined) continue;
      this.#remove(owner, waiter);
      this.#moveToEnd(owner);
      waiter.resolve(value);
      return true;
    }
    return false;
  }

  #add(owner: Owner, waiter: Waiter<T, Kind>): void {
    const waiters = this.#owners.get(owner);
    if (waiters === undefined) this.#owners.set(owner, new Set([waiter]));
    else waiters.add(waiter);
    this.#size += 1;
  }

  #remove(owner: Owner, waiter: Waiter<T, Kind>): void {
    const waiters = this.#owners.get(owner);
    if (waiters?.delete(waiter) !== true) return;
    this.#size -= 1;
    if (waiters.size === 0) this.#owners.delete(owner);
  }

  #moveToEnd(owner: Owner): void {
    const waiters = this.#owners.get(owner);
    if (waiters === undefined) return;
    this.#owners.delete(owner);
    this.#owners.set(owner, waiters);
  }
}
