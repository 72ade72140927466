/** Closes opened parts in reverse order. */
export class Closers {
  readonly #closers: (() => unknown)[] = [];

  push(close: () => unknown): void {
    this.#closers.push(close);
  }

  /** All are closed, also if some fail, and none twice. @throws the first error */
  async close(): Promise<void> {
    const errors: unknown[] = [];
    for (let close = this.#closers.pop(); close !== undefined; close = this.#closers.pop()) {
      try {
        await close();
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 0) throw errors[0];
  }
}
