import { readdirSync, readFileSync } from 'node:fs';
import { nameIn, tokensOf } from '../planning-cost/macro-text.ts';
import { PlanningCosts } from '../planning-cost/planning-costs.ts';
import { macroName } from '../tree/macro-name.ts';
import { duckdbType } from '../types.ts';
import { CapturedParameters } from './captured-parameters.ts';
import { withArgumentsComputedOnce } from './compute-once.ts';
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

/** The parameters of these macros that lambdas read. */
export const capturedParameters = new CapturedParameters(macros);

/**
 * SQL that defines macros and those that they use, before any rewritten query; '' if there is nothing to define. DuckDB binds
 * every body: for all macros that takes more than a second, so that only signatures that are called are defined.
 *
 * @param callees as a query calls them; by default all
 * @param defined the callees that the database has; the others are added
 * @param hasHome whether there is a schema or database `bq` for them
 */
export function macroDefinitions(
  callees: Iterable<string> = allCallees(),
  defined: Set<string> = new Set(),
  hasHome = defined.size > 0,
): string {
  const added = undefinedIn([...callees], defined);
  if (added.length === 0 && hasHome) return '';
  return [...(hasHome ? [] : ['CREATE SCHEMA IF NOT EXISTS bq']), ...added.map(define)].join(';\n');
}

const allCallees = (): readonly string[] =>
  [...macros].flatMap(([name, signatures]) => [
    ...new Set([...signatures.map(({ callee }) => callee), `bq.${name}`]),
  ]);

/**
 * The macros that a text calls: by a signature, as `bq."name(a bigint)"`, or by the name where DuckDB chooses one or there is
 * only one.
 */
export const calleesIn = (text: string): readonly string[] =>
  (text.match(/\bbq\.(?:"[^"]+"|\w+)/g) ?? []).filter(isMacro);

/** True if a call is one of a macro. */
export const isMacro = (callee: string): boolean => signaturesNamed(callee).length > 0;

/** The one of a callee, or all of its name. */
function signaturesNamed(callee: string): readonly Macro[] {
  const signatures = macros.get(macroName(callee) ?? '') ?? [];
  return callee.includes('"') ? signatures.filter((one) => one.callee === callee) : signatures;
}

/** Callees, each after those that its body calls, as DuckDB requires it. Those that were defined before are left out. */
function undefinedIn(callees: readonly string[], defined: Set<string>): readonly string[] {
  return callees.flatMap((callee) => {
    if (defined.has(callee)) return [];
    defined.add(callee);
    const called = signaturesNamed(callee).flatMap(({ body }) => calleesIn(body));
    return [...undefinedIn(called, defined), callee];
  });
}

function define(callee: string): string {
  const signatures = signaturesNamed(callee);
  const [only] = signatures;
  return only?.callee === callee ? defineOne(only) : defineOverloads(signatures);
}

/** The names of the macros that a text calls, including calls of one signature: `bq."name(a bigint)"`. */
export const macrosIn = (text: string): readonly string[] =>
  (text.match(/\bbq\."?\w+/g) ?? [])
    .map((callee) => callee.slice(callee[3] === '"' ? 4 : 3))
    .filter((name) => macros.has(name));

/** Finds the calls in a text of macros whose body contains something, directly or through others. */
export function callsMacroWith(isIn: (body: string) => boolean): (text: string) => boolean {
  const known = new Map<string, boolean>();
  const contains = (name: string): boolean => {
    const before = known.get(name);
    if (before !== undefined) return before;
    const found = withCalled([name], new Set()).some((called) =>
      (macros.get(called) ?? []).some(({ body }) => isIn(body)),
    );
    known.set(name, found);
    return found;
  };
  // Most calls are those of DuckDB's own functions.
  return (text) => text.includes('bq.') && macrosIn(text).some(contains);
}

/** True if a macro has a subquery, so that it can't be called in a lambda. */
export const hasSubquery = callsMacroWith((body) => /\(\s*select\b/i.test(body));

/** True if a macro has a lambda. */
export const hasLambda = callsMacroWith((body) => /\blambda\b/.test(body));

/** How dear trees that call these macros are to plan. */
export const planningCosts = new PlanningCosts(macros, hasLambda);

/** Names with those that their macros call, without those that were found before. */
function withCalled(names: readonly string[], found: Set<string>): readonly string[] {
  return names.flatMap((name) => {
    if (found.has(name)) return [];
    found.add(name);
    const bodies = (macros.get(name) ?? []).map(({ body }) => body).join(' ');
    return [name, ...withCalled(macrosIn(bodies), found)];
  });
}

/**
 * A signature without the types of its parameters: DuckDB binds an argument of a typed one twice, so that calls inside
 * each other take exponentially long. The body casts the parameters instead, which costs nothing for values of the type.
 */
function defineOne({ callee, parameters, body }: Macro): string {
  const names = parameters.map(({ name }) => name);
  return `CREATE MACRO IF NOT EXISTS ${callee}(${names.join(', ')}) AS ${withCasts(body, parameters)}`;
}

function withCasts(body: string, parameters: readonly MacroParameter[]): string {
  const types = new Map(
    parameters.flatMap(({ name, type }) => {
      const duckdb = type && duckdbType(type);
      return duckdb === undefined ? [] : [[name, duckdb] as const];
    }),
  );
  if (types.size === 0) return body;
  const tokens = tokensOf(body);
  return tokens
    .map((token, at) => {
      const name = nameIn(token);
      const type = types.get(name);
      if (type === undefined || tokens[at + 1] === '(') return token;
      return `(cast(${name} as ${type}))${token.slice(name.length)}`;
    })
    .join(' ');
}

/** All signatures under one name: DuckDB chooses one if the types are unknown during translation. */
function defineOverloads(signatures: readonly Macro[]): string {
  const [first] = signatures;
  const overloads = signatures.map(
    ({ parameters, body }) => `(${parameters.map(declare).join(', ')}) AS ${body}`,
  );
  return `CREATE MACRO IF NOT EXISTS bq.${first?.name} ${overloads.join(', ')}`;
}

function declare({ name, type }: MacroParameter): string {
  const duckdb = type && duckdbType(type);
  return duckdb === undefined ? name : `${name} ${duckdb}`;
}
