/** How long it is known how many tenants have room in one run: rows may become fewer. */
const knownMs = 60 * 60 * 1000;

/** How many tenants a run may have without having too many rows, by the runs that had. */
export class SharedSizes {
  readonly #elapsedMs: () => number;
  #most = Number.POSITIVE_INFINITY;
  readonly #alone = new Set<string>();
  #until = Number.NEGATIVE_INFINITY;

  constructor(elapsedMs: () => number) {
    this.#elapsedMs = elapsedMs;
  }

  /** The tenants of each run; without those whose rows are too many for a run with others. */
  split(tenants: readonly string[]): readonly (readonly string[])[] {
    if (this.#elapsedMs() >= this.#until) {
      this.#most = Number.POSITIVE_INFINITY;
      this.#alone.clear();
    }
    const open = tenants.filter((tenant) => !this.#alone.has(tenant));
    const most = Math.min(this.#most, open.length);
    if (most < Math.min(2, tenants.length)) return [];
    return Array.from({ length: Math.ceil(open.length / most) }, (_, at) =>
      open.slice(at * most, (at + 1) * most),
    );
  }

  /**
   * Some runs had too many rows.
   *
   * @param most the tenants of the largest run that had not
   * @param alone tenants that have too many by themselves
   */
  learn(most: number, alone: readonly string[]): void {
    this.#most = most;
    for (const tenant of alone) this.#alone.add(tenant);
    this.#until = this.#elapsedMs() + knownMs;
  }
}
