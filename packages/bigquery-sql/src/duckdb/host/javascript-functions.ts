import { type DuckDBConnection, DuckDBScalarFunction, VARCHAR } from '@duckdb/node-api';
import { javascriptCalls } from '../../macros/javascript-function.ts';
import {
  computeInThread,
  endStatement,
  isThreadReady,
  startThread,
} from '../javascript/javascript-thread.ts';
import { type ApartCalls, failureOf, isTexts } from './apart-calls.ts';
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
          const results = resultsOf(work, {
            definition: definitions.getItem(0) as string,
            texts,
            isOnce: when === 'once',
          });
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

/** A chunk of calls of one function. */
interface Calls {
  readonly definition: string;
  readonly texts: readonly string[];
  readonly isOnce: boolean;
}

function resultsOf(work: HostWork, { definition, texts, isOnce }: Calls): Texts {
  if (work.apart !== undefined) return resultsWithApart(work, work.apart, { definition, texts, isOnce });
  const compute = computeWith(work, definition);
  return isOnce ? computeDistinct(texts, compute) : inBatches(texts, compute);
}

/** Computes what takes little time, and leaves the rest to be computed apart: its results are NULL for now. */
function resultsWithApart(work: HostWork, apart: ApartCalls, { definition, texts, isOnce }: Calls): Texts {
  const take = (row: string) => {
    const result = apart.take(definition, row, isOnce);
    return result !== undefined && 'failure' in result ? fail(definition, result.failure) : result;
  };
  const results = texts.map(take);
  const missing = texts.filter((_, at) => results[at] === undefined);
  if (missing.length === 0) return results.map((result) => result?.text ?? null);
  if (!isOnce) {
    // All calls of a function that keeps something are computed in one place.
    apart.miss({ definition, texts, isOnce }, missing);
    return results.map((result) => result?.text ?? null);
  }
  const distinct = [...new Set(missing)];
  const left = apart.isWaiting ? distinct : computeSoon(work, apart, definition, distinct);
  if (left.length > 0) apart.miss({ definition, texts, isOnce }, left);
  return texts.map((row, at) => (results[at] ?? take(row))?.text ?? null);
}

/** @returns the rows for which there was no time */
function computeSoon(
  work: HostWork,
  apart: ApartCalls,
  definition: string,
  rows: readonly string[],
): readonly string[] {
  const id = numberOf(work);
  const wait = (text: string) => {
    if (text.length > batchLength || slow.has(definition) || !isThreadReady()) return undefined;
    return work.tryWait((timeoutMs) => computeInThread({ id, definition, rows: text, timeoutMs }));
  };
  for (let first = 0; first < rows.length; first += soonRows) {
    const batch = rows.slice(first, first + soonRows);
    const answer = wait(`[${batch.join(',')}]`);
    if (answer !== undefined && 'isOver' in answer) noteSlow(definition);
    const results: unknown = answer && 'results' in answer ? JSON.parse(answer.results) : undefined;
    // If a batch fails, its rows are computed again one after another, to find the row that fails.
    if (!isTexts(results) || results.length !== batch.length) return rows.slice(first);
    for (const [at, row] of batch.entries()) apart.keep(definition, row, { text: results[at] ?? null });
  }
  return [];
}

/** Calls that are computed while all others wait: some milliseconds. */
const soonRows = 256;

/** Functions for which all others have waited too long once. */
const slow = new Set<string>();
const maxSlow = 1_000;

function noteSlow(definition: string): void {
  if (slow.size >= maxSlow) slow.clear();
  slow.add(definition);
}

function fail(definition: string, message: string): never {
  const { name } = JSON.parse(definition) as { readonly name: string };
  throw new Error(`${name}: ${message.slice(0, maxMessageLength) || 'it fails without a message'}`);
}

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

let statements = 0;

/** A number for one statement. */
export const nextStatement = (): number => ++statements;

const numbers = new WeakMap<HostWork, number>();

/** The number of a statement, whose functions are forgotten when its work ends. */
function numberOf(work: HostWork): number {
  const known = numbers.get(work);
  if (known !== undefined) return known;
  const id = nextStatement();
  numbers.set(work, id);
  work.onEnd(() => {
    endStatement(id);
    numbers.delete(work);
  });
  return id;
}

/** Makes the function that computes one function's rows. It throws an Error that names it, or one of `HostWork`. */
function computeWith(work: HostWork, definition: string): Compute {
  const id = numberOf(work);
  return (rows) => {
    const text = `[${rows.join(',')}]`;
    const answer = work.wait(text.length, (timeoutMs) => {
      const found = computeInThread({ id, definition, rows: text, timeoutMs });
      return 'isOver' in found ? undefined : found;
    });
    const results: unknown = 'results' in answer ? JSON.parse(answer.results) : undefined;
    if (isTexts(results) && results.length === rows.length) return results;
    return fail(definition, failureOf(answer, results));
  };
}
