import { type DuckDBConnection, DuckDBScalarFunction, VARCHAR } from '@duckdb/node-api';
import { javascriptCalls } from '../../macros/javascript-function.ts';
import { computeInThread, endStatement, startThread } from '../javascript/javascript-thread.ts';
import { HostWork, savedLimits } from './host-work.ts';

/** The most text of arguments that is in the memory of a function at once. */
const batchLength = 1_000_000;

/** Of what a function throws; it may be any text. */
const maxMessageLength = 1_000;

/** Registers the functions that compute what is written in JavaScript, for all connections of the database. */
export function registerJavascript(connection: DuckDBConnection, works: ReadonlyMap<number, HostWork>): void {
  for (const [when, name] of Object.entries(javascriptCalls)) {
    const definition = DuckDBScalarFunction.create({
      name,
      parameterTypes: [VARCHAR, VARCHAR],
      returnType: VARCHAR,
      volatile: when === 'eachTime',
      bindFunction(info) {
        startThread();
        info.setBindData({ connectionId: info.clientContext.connectionId });
      },
      mainFunction(info, input, output) {
        const { connectionId } = info.bindData as { readonly connectionId: number };
        const running = works.get(connectionId);
        const work = running ?? new HostWork(savedLimits);
        const [definitions, rows] = [input.getColumnVector(0), input.getColumnVector(1)];
        const texts = Array.from({ length: input.rowCount }, (_, row) => rows.getItem(row) as string);
        try {
          // The definition is a literal: it is the same for all rows.
          const compute = computeWith(work, definitions.getItem(0) as string);
          const results = when === 'once' ? computeDistinct(texts, compute) : inBatches(texts, compute);
          for (const [row, text] of results.entries()) output.setItem(row, text);
        } finally {
          if (running === undefined) work.end();
        }
        output.flush();
      },
    });
    connection.registerScalarFunction(definition);
  }
}

type Texts = readonly (string | null)[];

/** Computes the results of rows, each a JSON array of arguments. */
type Compute = (rows: readonly string[]) => Texts;

/** Computes equal rows once. */
function computeDistinct(rows: readonly string[], compute: Compute): Texts {
  const places = new Map<string, number>();
  for (const row of rows) if (!places.has(row)) places.set(row, places.size);
  const results = inBatches([...places.keys()], compute);
  return rows.map((row) => results[places.get(row) ?? 0] ?? null);
}

/** Computes not more rows at once than have room beside what a function keeps. */
function inBatches(rows: readonly string[], compute: Compute): Texts {
  const results: (string | null)[] = [];
  for (let first = 0, next = 0; first < rows.length; first = next) {
    for (let length = 0; next < rows.length && (next === first || length < batchLength); next += 1)
      length += rows[next]?.length ?? 0;
    for (const result of compute(rows.slice(first, next))) results.push(result);
  }
  return results;
}

/** A function can change how its results are written. */
const isTexts = (value: unknown): value is Texts =>
  Array.isArray(value) && value.every((item) => item === null || typeof item === 'string');

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

let statements = 0;
const numbers = new WeakMap<HostWork, number>();

/** The number of a statement, whose functions are forgotten when its work ends. */
function numberOf(work: HostWork): number {
  const known = numbers.get(work);
  if (known !== undefined) return known;
  const id = ++statements;
  numbers.set(work, id);
  work.onEnd(() => endStatement(id));
  return id;
}

/** What computes one function. It throws an Error that names the function, or one of `HostWork`. */
function computeWith(work: HostWork, definition: string): Compute {
  const id = numberOf(work);
  const fail = (message: string): never => {
    const { name } = JSON.parse(definition) as { readonly name: string };
    throw new Error(`${name}: ${message.slice(0, maxMessageLength) || 'it fails without a message'}`);
  };
  return (rows) => {
    const text = `[${rows.join(',')}]`;
    const answer = work.wait(text.length, (timeoutMs) => {
      const found = computeInThread({ id, definition, rows: text, timeoutMs });
      return 'isOver' in found ? undefined : found;
    });
    if ('failure' in answer) return fail(answer.failure);
    const results: unknown = JSON.parse(answer.results);
    if (isTexts(results) && results.length === rows.length) return results;
    if (!isRecord(results)) return fail('it changes what computes it');
    return fail(typeof results.failure === 'string' ? results.failure : 'its promise is never settled');
  };
}
