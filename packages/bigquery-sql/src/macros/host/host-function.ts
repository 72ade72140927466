/** DuckDB's types that host functions take and return; JSON is VARCHAR. */
export interface HostTypes {
  readonly VARCHAR: string;
  readonly BLOB: Uint8Array;
  readonly BIGINT: bigint;
  readonly BIGNUM: bigint;
  readonly DOUBLE: number;
  readonly BOOLEAN: boolean;
  readonly 'VARCHAR[]': readonly (string | null)[];
}

type HostType = keyof HostTypes;
export type HostValue = HostTypes[HostType];

/**
 * A function that DuckDB lacks, computed by this process: DuckDB calls it with a chunk of rows on the main thread, a
 * million rows in half a second. Macros call it by its name. It is not called for rows with a NULL argument.
 */
export interface HostFunction {
  readonly name: string;
  readonly parameters: readonly HostType[];
  readonly result: Exclude<HostType, 'VARCHAR[]'>;
  /** @returns null for NULL. @throws Error whose message the query fails with */
  compute(args: readonly HostValue[]): HostTypes[HostFunction['result']] | null;
}

/** Defines a function with the TypeScript types of its parameters. */
export function hostFunction<const P extends readonly HostType[], R extends HostFunction['result']>(
  name: string,
  parameters: P,
  result: R,
  compute: (...args: { -readonly [At in keyof P]: HostTypes[P[At]] }) => HostTypes[R] | null,
): HostFunction {
  return {
    name,
    parameters,
    result,
    compute: (args) => compute(...(args as { -readonly [At in keyof P]: HostTypes[P[At]] })),
  };
}
