interface Version<T> {
  readonly value: T;
  users: number;
  /** Set once the version is replaced: called when its last user has finished. */
  onUnused?: () => void;
}

/** A value that is replaced while it is in use: a user finishes with the version that it began with. */
export class VersionedRef<T> {
  #current: Version<T>;

  constructor(first: T) {
    this.#current = { value: first, users: 0 };
  }

  get value(): T {
    return this.#current.value;
  }

  async use<R>(work: (value: T) => Promise<R>): Promise<R> {
    const version = this.#current;
    version.users += 1;
    try {
      return await work(version.value);
    } finally {
      version.users -= 1;
      if (version.users === 0) version.onUnused?.();
    }
  }

  /** Resolves when the old value is no longer in use. */
  replace(next: T): Promise<void> {
    const old = this.#current;
    this.#current = { value: next, users: 0 };
    return new Promise((resolve) => {
      old.onUnused = resolve;
      if (old.users === 0) resolve();
    });
  }
}
