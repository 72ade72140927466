import { hostFunctions } from '../../macros/host/host-functions.ts';
import { javascriptCalls } from '../../macros/javascript-function.ts';
import { macroDefinitions, macros } from '../../macros/macros.ts';
import { macroName } from '../../tree/macro-name.ts';

/** Part of the message of a query that met a value which only the process of a gateway computes. */
export const notOnServerText = 'cannot be computed on a server of DuckDB';

/**
 * Macros that compute all values but rare ones themselves: texts with a final sigma, numbers with exponents, sums beyond
 * 38 digits. On a server, a query that meets such a value fails.
 */
const partial: ReadonlySet<string> = new Set([
  'bq."lower(s varchar)"',
  'bq.without_exponent',
  'bq.numeric_total',
  'bq.numeric_average',
  'bq.format_float',
  'bq.numeric_root',
]);

const calledIn = (sql: string): readonly string[] => sql.match(/\bbq\.(?:"[^"]+"|\w+)|\bhost_\w+/g) ?? [];

/** Calls of macros by the names that they have on a server: a session has one temporary schema, and none named `bq`. */
export const withServerCallees = (sql: string): string =>
  sql.replaceAll(/'(?:[^']|'')*'|\bbq\.(?:"[^"]+"|\w+)|"(?:[^"]|"")*"/g, (found) =>
    found.startsWith('bq.') ? `"${found.replaceAll('"', '')}"` : found,
  );

/** The functions in SQL that no server of DuckDB has, as this process computes them; by names for messages. */
export function missingOnServer(sql: string): readonly string[] {
  // TRY would make NULL of a value that cannot be computed.
  const isMissing = /\btry\(/i.test(sql) ? (callee: string) => reaches(callee, true) : computedHere;
  return [...new Set(calledIn(sql).filter(isMissing).map(nameOf))];
}

const computedHere = (callee: string): boolean => reaches(callee, false);

const known = new Map<string, boolean>();

/** True if a macro calls a function of this process, also one for rare values if they count. */
function reaches(callee: string, countsPartial: boolean): boolean {
  if (callee.startsWith('host_')) return true;
  if (partial.has(callee)) return countsPartial;
  const key = `${countsPartial} ${callee}`;
  const before = known.get(key);
  if (before !== undefined) return before;
  const signatures = macros.get(macroName(callee) ?? '') ?? [];
  const meant = callee.includes('"') ? signatures.filter((one) => one.callee === callee) : signatures;
  const found = meant.some(({ body }) => calledIn(body).some((called) => reaches(called, countsPartial)));
  known.set(key, found);
  return found;
}

function nameOf(callee: string): string {
  if (callee === javascriptCalls.once || callee === javascriptCalls.eachTime)
    return 'a function in JavaScript';
  if (/bignum/.test(callee)) return 'BIGNUMERIC';
  const name = macroName(callee) ?? callee;
  return readable.reduce((text, [pattern, shown]) => text.replace(pattern, shown), name.toUpperCase());
}

/** Names of functions, where those of macros are others. */
const readable: readonly (readonly [RegExp, string])[] = [
  [/^CAST_FORMAT_.*/, 'CAST with FORMAT'],
  [/^(SAFE_)?CAST_/, '$1CAST AS '],
  [/^JSON_(?:OF_|INDENTED).*/, 'TO_JSON_STRING of JSON'],
  [/^JSON_(?:POINTER|QUERY_).*/, 'a path of JSON in lax mode, or that is computed'],
  [/^TOP_SUMS_.*/, 'APPROX_TOP_SUM'],
  [/^(NET|HLL|KLL)_/, '$1.'],
  [/_OF_NUMERIC$|^NUMERIC_/, ''],
];

/**
 * SQL that defines macros and those that they use for a session on a server: its temporary schema ends with it, and no other
 * session sees it.
 *
 * @param defined the macros that the session has; the others are added
 */
export function serverMacros(names: readonly string[], defined: Set<string>): readonly string[] {
  if (names.length === 0) return [];
  const definitions = withServerCallees(
    macroDefinitions(names, defined, true).replaceAll(/(^|;\n)CREATE MACRO /g, '$1CREATE TEMP MACRO '),
  );
  const called = new Set(definitions.match(/\bhost_\w+/g));
  return [...hostFunctions.filter(({ name }) => called.has(name)).map(standIn), definitions];
}

/** Fails as `bq.fail` does: not as DuckDB's error(), which is volatile. */
const standIn = ({ name, parameters, result }: (typeof hostFunctions)[number]): string =>
  `CREATE TEMP MACRO IF NOT EXISTS ${name}(${parameters.map((_, at) => `a${at}`).join(', ')}) AS
   CAST(CAST('error: ${name} ${notOnServerText}' || left(CAST(a0 AS VARCHAR), 0) AS TINYINT) AS ${result})`;
