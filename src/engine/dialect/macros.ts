import { readdirSync, readFileSync } from 'node:fs';
import { type Macro, type MacroParameter, parseMacros } from './macro-lines.ts';
import { duckdbType, unknown } from './type.ts';

const folder = new URL('./macros/', import.meta.url);

/** Every function that has a macro, by name, with its signatures in the order of the files. */
export const macros: ReadonlyMap<string, readonly Macro[]> = parseMacros(
  readdirSync(folder)
    .filter((file) => file.endsWith('.sql'))
    .sort()
    .flatMap((file) => readFileSync(new URL(file, folder), 'utf8').split('\n')),
);

/** What the dialect needs of every connection; all but the first are the defaults of BigQuery's semantics. */
export const sessionSettings: readonly string[] = [
  "SET TimeZone = 'UTC'",
  "SET default_null_order = 'nulls_first_on_asc_last_on_desc'",
  'SET integer_division = false',
];

/**
 * Makes the functions of BigQuery known to a database; run once, before any rewritten query. DuckDB looks up what a
 * body calls when the macro is made, so all names are made first, without their bodies: lines may stand in any order.
 */
export const macroDefinitions: string = [
  'CREATE SCHEMA bq',
  ...[...macros.values()].map((signatures) => defineAll(signatures.map(empty))),
  ...[...macros.values()].flatMap((signatures) => [
    ...signatures.filter(({ callee, name }) => callee !== `bq.${name}`).map(defineOne),
    defineAll(signatures),
  ]),
].join(';\n');

function empty(macro: Macro): Macro {
  const type = duckdbType(macro.resultType(macro.parameters.map(({ type = unknown }) => type)));
  return { ...macro, body: type === undefined ? 'NULL' : `CAST(NULL AS ${type})` };
}

function defineOne({ callee, parameters, body }: Macro): string {
  return `CREATE MACRO ${callee}(${parameters.map(declare).join(', ')}) AS ${body}`;
}

/** All signatures under one name: DuckDB chooses where the rewriter can't tell the types. */
function defineAll(signatures: readonly Macro[]): string {
  const [first] = signatures;
  const overloads = signatures.map(
    ({ parameters, body }) => `(${parameters.map(declare).join(', ')}) AS ${body}`,
  );
  return `CREATE OR REPLACE MACRO bq.${first?.name} ${overloads.join(', ')}`;
}

function declare({ name, type }: MacroParameter): string {
  const duckdb = type && duckdbType(type);
  return duckdb === undefined ? name : `${name} ${duckdb}`;
}
