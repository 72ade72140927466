/** A value while it is in use. */
export interface Version<T> {
  readonly value: T;
  users: number;
  /** Set once the version is replaced: called when its last user has finished. */
  onUnused?: () => void;
}

/** A value that is replaced while it is in use: a user finishes with the version that it began with. */
export class VersionedRef<T> {
  #current: Version<T>;
  /** Resolves when no replaced version is in use. */
  #drained: Promise<unknown> = Promise.resolve();

  constructor(first: T) {
    this.#current = { value: first, users: 0 };
  }

  get value(): T {
    return this.#current.value;
  }

  /** Begins to use the current version, until `leave`. */
  enter(): Version<T> {
    this.#current.users += 1;
    return this.#current;
  }

  leave(version: Version<T>): void {
    version.users -= 1;
    if (version.users === 0) version.onUnused?.();
  }

  async use<R>(work: (value: T) => Promise<R>): Promise<R> {
    const version = this.enter();
    try {
      return await work(version.value);
    } finally {
      this.leave(version);
    }
  }

  /** Resolves when no earlier version is in use. */
  async replace(next: T): Promise<void> {
    const old = this.#current;
    this.#current = { value: next, users: 0 };
    const unused = new Promise<void>((resolve) => {
      old.onUnused = resolve;
      if (old.users === 0) resolve();
    });
    this.#drained = Promise.all([this.#drained, unused]);
    await this.#drained;
  }

  /** Resolves when no version is in use that has been replaced by now. */
  async drained(): Promise<void> {
    await this.#drained;
  }
}
