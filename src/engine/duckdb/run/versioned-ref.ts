/** A value that is replaced while it is in use: who has begun with the old one ends with it. */
export class VersionedRef<T> {
  #current: { readonly value: T; users: number; left?: () => void };

  constructor(first: T) {
    this.#current = { value: first, users: 0 };
  }

  get value(): T {
    return this.#current.value;
  }

  async use<R>(work: (value: T) => Promise<R>): Promise<R> {
    const generation = this.#current;
    generation.users += 1;
    try {
      return await work(generation.value);
    } finally {
      generation.users -= 1;
      if (generation.users === 0) generation.left?.();
    }
  }

  /** Resolves when nobody uses the old value any longer. */
  replace(next: T): Promise<void> {
    const old = this.#current;
    this.#current = { value: next, users: 0 };
    return new Promise((resolve) => {
      old.left = resolve;
      if (old.users === 0) resolve();
    });
  }
}
