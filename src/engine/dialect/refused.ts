/** Functions that DuckDB can't follow faithfully, and why. */
export const refusedFunctions: ReadonlyMap<string, string> = new Map([
  [
    'farm_fingerprint',
    'DuckDB has no FarmHash, and 64-bit arithmetic that wraps around, which it needs, is an error there',
  ],
  ['sha512', 'DuckDB has MD5, SHA1 and SHA256 only'],
  [
    'net.reg_domain',
    'it needs the public suffix list, which DuckDB does not have and which changes every week',
  ],
  [
    'net.public_suffix',
    'it needs the public suffix list, which DuckDB does not have and which changes every week',
  ],
  ['parse_bignumeric', "BIGNUMERIC has 76 digits, DuckDB's decimals have 38"],
]);

/** Constructs that DuckDB can't follow faithfully, and why. */
export const refusedConstructs: ReadonlyMap<string, string> = new Map([]);
