import { globSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { runInNewContext } from 'node:vm';
import { withoutOrder } from '../suite-outcome.ts';
import type { Answer, Value } from '../values.ts';
import type { KnownAnswer } from './known-answer.ts';

interface Definition {
  readonly name: string;
  readonly folder: string;
  readonly text: string;
  /** The names of the functions that it calls. */
  readonly references: readonly string[];
}

interface Call {
  readonly inputs?: readonly string[];
  readonly input_columns?: readonly string[];
  readonly input_rows?: string;
  readonly expected_output: string;
}

/** The calls in each `test_cases.js` of bigquery-utils of the functions in the `.sqlx` files beside it. */
export function sqlxTests(checkout: string): readonly KnownAnswer[] {
  const folder = join(checkout, 'udfs');
  const definitions = globSync(join(folder, '**/*.sqlx')).sort().map(load);
  return globSync(join(folder, '**/test_cases.js'))
    .sort()
    .flatMap((file) => callsOf(file).map((test) => knownAnswer(test, file, checkout, definitions)));
}

function load(file: string): Definition {
  const written = readFileSync(file, 'utf8').replace(/^\s*config\s*\{[^}]*\}/, '');
  const name = basename(file, '.sqlx');
  const references = [...written.matchAll(reference)].map(([, called = '']) => called);
  const text = written.replaceAll(/\$\{\s*self\(\)\s*\}/g, name).replaceAll(reference, '$1');
  return { name, folder: dirname(file), text, references };
}

const reference = /\$\{\s*ref\(\s*["'](\w+)["']\s*\)\s*\}/g;

interface Test {
  readonly name: string;
  readonly call: Call;
}

/** The file calls a function for each of the tests. */
function callsOf(file: string): readonly Test[] {
  const tests: Test[] = [];
  const note = (name: string, calls: Call | readonly Call[]) =>
    tests.push(...[calls].flat().map((call) => ({ name, call: call as Call })));
  runInNewContext(readFileSync(file, 'utf8'), {
    unit_test_utils: { generate_udf_test: note, generate_udaf_test: note },
    dataform: { projectConfig: { vars: {}, defaultLocation: '' } },
  });
  return tests;
}

function knownAnswer(
  { name, call }: Test,
  file: string,
  checkout: string,
  definitions: readonly Definition[],
): KnownAnswer {
  const own = definitions.find((one) => one.name === name && one.folder === dirname(file));
  const source = `${relative(checkout, file)} ${name}`;
  if (own === undefined)
    return { source, sql: '', skipped: 'its function is in no file', isStated: () => false };
  const functions = withReferences(own, definitions);
  const sql = [...functions.map(temporary), selectOf(name, call)].join('\n');
  const template = /\$\{[^}]*\}/.exec(functions.map(({ text }) => text).join('\n'))?.[0];
  return {
    source,
    sql,
    ...(template !== undefined && { skipped: `has ${template.slice(2, -1)}, a value of its project` }),
    isStated,
  };
}

/** A function behind those that it calls. */
function withReferences(own: Definition, definitions: readonly Definition[]): readonly Definition[] {
  const found = own.references.flatMap((name) => {
    const same = definitions.filter((one) => one.name === name);
    const called = same.find(({ folder }) => folder === own.folder) ?? same[0];
    return called && called !== own ? withReferences(called, definitions) : [];
  });
  return [...new Set([...found, own])];
}

const temporary = ({ text }: Definition): string =>
  `${text
    .replace(/CREATE\s+(?:OR\s+REPLACE\s+)?(AGGREGATE\s+)?FUNCTION/i, 'CREATE TEMP $1FUNCTION')
    .trim()
    .replace(/;$/, '')};`;

function selectOf(name: string, call: Call): string {
  const args = (call.inputs ?? call.input_columns ?? []).join(', ');
  const from = call.input_rows === undefined ? '' : ` FROM (${call.input_rows})`;
  return `SELECT ${name}(${args}) AS found, (${call.expected_output}) AS stated${from}`;
}

/** Arrays may be in another order: some are built without ORDER BY. */
function isStated(answer: Answer): boolean {
  const sorted = withoutOrder(answer);
  if ('error' in sorted) return false;
  return sorted.rows.every(([found = null, stated = null]) => isSame(found, stated));
}

/** In BigQuery's results a NULL array is an empty one. */
const isNothing = (value: Value): value is null =>
  value === null || (value.type === 'ARRAY' && value.items.length === 0);

function isSame(a: Value, b: Value): boolean {
  if (isNothing(a) || isNothing(b)) return isNothing(a) && isNothing(b);
  if (a.type === 'ARRAY' && b.type === 'ARRAY')
    return (
      a.items.length === b.items.length && a.items.every((item, at) => isSame(item, b.items[at] ?? null))
    );
  if (a.type === 'STRUCT' && b.type === 'STRUCT')
    return (
      a.fields.length === b.fields.length &&
      a.fields.every((field, at) => isSame(field.value, b.fields[at]?.value ?? null))
    );
  if (!('text' in a) || !('text' in b)) return false;
  return a.text === b.text || isNear(Number(a.text), Number(b.text));
}

const isNear = (a: number, b: number): boolean => Math.abs(a - b) <= 1e-12 * Math.abs(a + b);
