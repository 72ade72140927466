/** A waiter in the queue; its kind decides which values it can be given. */
interface Waiter<T, Kind> {
  readonly kind: Kind;
  resolve(value: T): void;
}

/**
 * Waiters in the order of their arrival. Each is given one value, or leaves when its signal is aborted; a waiter that
 * has left is never given anything.
 */
export class WaitQueue<T = void, Kind = undefined> {
  readonly #waiters = new Set<Waiter<T, Kind>>();

  get size(): number {
    return this.#waiters.size;
  }

  /** @throws the signal's reason when it is aborted first */
  wait(signal: AbortSignal, kind: Kind): Promise<T> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      const leave = () => {
        this.#waiters.delete(waiter);
        reject(signal.reason);
      };
      const waiter: Waiter<T, Kind> = {
        kind,
        resolve(value) {
          signal.removeEventListener('abort', leave);
          resolve(value);
        },
      };
      signal.addEventListener('abort', leave, { once: true });
      this.#waiters.add(waiter);
    });
  }

  /**
   * Serves the first waiter for which there is a value.
   *
   * @param valueFor gets the kind of a waiter; undefined passes it over
   * @returns whether a waiter was served
   */
  serveNext(valueFor: (kind: Kind) => T | undefined): boolean {
    for (const waiter of this.#waiters) {
      const value = valueFor(waiter.kind);
      if (value === undefined) continue;
      this.#waiters.delete(waiter);
      waiter.resolve(value);
      return true;
    }
    return false;
  }
}
