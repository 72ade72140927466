import { readdirSync, readFileSync } from 'node:fs';
import { duckdbType, unknown } from '../types.ts';
import { withArgumentsComputedOnce } from './compute-once.ts';
import { MacroSizes } from './macro-size.ts';
import { type Macro, type MacroParameter, parseMacros } from './parse-macros.ts';

const folder = new URL('./sql/', import.meta.url);

/** Every function that has a macro, by name, with its signatures in the order of the files. */
export const macros: ReadonlyMap<string, readonly Macro[]> = withArgumentsComputedOnce(
  parseMacros(
    readdirSync(folder)
      .filter((file) => file.endsWith('.sql'))
      .sort()
      .flatMap((file) => readFileSync(new URL(file, folder), 'utf8').split('\n')),
  ),
);

/** How large the calls of these macros become. */
export const macroSizes = new MacroSizes(macros);

/** Settings that every connection needs for BigQuery's semantics. */
export const sessionSettings: readonly string[] = [
  "SET TimeZone = 'UTC'",
  "SET default_null_order = 'nulls_first_on_asc_last_on_desc'",
  'SET integer_division = false',
];

/**
 * SQL that defines macros and those that they use, before any rewritten query; '' if there is nothing to define.
 *
 * @param names of macros; defining all of them takes DuckDB more than a second, because it binds every body
 * @param defined the macros that the database has; the others are added
 */
export function macroDefinitions(
  names: Iterable<string> = macros.keys(),
  defined: Set<string> = new Set(),
): string {
  const isFirst = defined.size === 0;
  const reached = inDependencyOrder([...names], defined).map((name) => macros.get(name) ?? []);
  if (reached.length === 0 && !isFirst) return '';
  return [
    ...(isFirst ? ['CREATE SCHEMA IF NOT EXISTS bq'] : []),
    ...reached.map((signatures) => defineAll(signatures.map(withPlaceholderBody))),
    ...reached.flatMap((signatures) => [
      ...signatures.filter(({ callee, name }) => callee !== `bq.${name}`).map(defineOne),
      defineAll(signatures),
    ]),
  ].join(';\n');
}

/** The names of the macros that a text calls, including calls of one signature: `bq."name(a bigint)"`. */
export const macrosIn = (text: string): readonly string[] =>
  [...text.matchAll(/\bbq\."?(\w+)/g)].map(([, name = '']) => name).filter((name) => macros.has(name));

/** DuckDB requires a macro to be defined before its use; the files may contain them in any order. */
function inDependencyOrder(names: readonly string[], found = new Set<string>()): readonly string[] {
  return names.flatMap((name) => {
    if (found.has(name)) return [];
    found.add(name);
    const bodies = (macros.get(name) ?? []).map(({ body }) => body).join(' ');
    return [...inDependencyOrder(macrosIn(bodies), found), name];
  });
}

/** Two macros may call different signatures of each other, so all names are defined before any body. */
function withPlaceholderBody(macro: Macro): Macro {
  const type = duckdbType(macro.resultType(macro.parameters.map(({ type = unknown }) => type)));
  return { ...macro, body: type === undefined ? 'NULL' : `CAST(NULL AS ${type})` };
}

function defineOne({ callee, parameters, body }: Macro): string {
  return `CREATE MACRO ${callee}(${parameters.map(declare).join(', ')}) AS ${body}`;
}

/** All signatures under one name: DuckDB chooses one if the types are unknown during translation. */
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
