/** Functions that DuckDB can't follow faithfully, and why. */
export const refusedFunctions: ReadonlyMap<string, string> = new Map([]);

/** Constructs that DuckDB can't follow faithfully, and why. */
export const refusedConstructs: ReadonlyMap<string, string> = new Map([]);
