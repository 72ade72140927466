import type { Answer } from '../javascript/javascript-thread.ts';

/** Part of the message of a statement that occupies this process too long. */
export const tooMuchText = 'functions are computed over more text than one query may';
/** The same, if its functions in JavaScript do. */
export const tooSlow = 'functions in JavaScript take longer than those of one query may';

/** Part of the message of a call whose result is not there yet: its statement is run again. */
const isWaitingText = 'a function in JavaScript is computed apart';

type Result = { readonly text: string | null } | { readonly failure: string };

interface Call {
  /** One of a function that is called once for equal arguments, otherwise as many as there were calls. */
  readonly results: Result[];
  /** How many calls the current run has made. */
  made: number;
}

interface Missing {
  readonly definition: string;
  readonly rows: string[];
  readonly isOnce: boolean;
}

/** A chunk of calls of one function. */
interface MissedChunk {
  readonly definition: string;
  readonly texts: readonly string[];
  /** True if equal arguments have one result. */
  readonly isOnce: boolean;
}

/** The most text of arguments and results that is kept for one statement. */
const maxKeptLength = 128_000_000;

/** The most that is computed together, as text of arguments and as calls: statements take turns after it. */
const batchLength = 200_000;
const batchRows = 1_000;

/** Computes rows of one function, each a JSON array of arguments. */
export type ComputeApart = (definition: string, rows: readonly string[]) => Promise<Answer>;

/**
 * The calls of functions in JavaScript that one statement makes, for a statement that is run again when results are missing:
 * DuckDB wants a result from the call, and the thread that it calls waits meanwhile. The first run notes the calls and gets
 * NULL, its outcome counts for nothing; they are computed while nothing waits for them but this statement.
 */
export class ApartCalls {
  /** By definition, and by arguments. */
  readonly #calls = new Map<string, Map<string, Call>>();
  /** Of one function: what others are called with may depend on its results. */
  #missing: Missing | undefined;
  /** Also a run that has noted nothing more may have got a NULL that is not a result. */
  #isWaiting = false;
  #length = 0;
  #isTooLarge = false;

  /** True if the outcome of the current run does not count. */
  get isWaiting(): boolean {
    return this.#isWaiting;
  }

  beginRun(): void {
    this.#missing = undefined;
    this.#isWaiting = false;
    for (const calls of this.#calls.values()) for (const call of calls.values()) call.made = 0;
  }

  /** @throws Error if the current run has got anything but results */
  requireComplete(): void {
    if (this.#isTooLarge) throw new Error(tooMuchText);
    if (this.#isWaiting) throw new Error(isWaitingText);
  }

  /** @param isOnce whether equal arguments have one result */
  take(definition: string, row: string, isOnce: boolean): Result | undefined {
    const call = this.#calls.get(definition)?.get(row);
    if (call === undefined) return undefined;
    const result = call.results[isOnce ? 0 : call.made];
    if (result !== undefined) call.made += 1;
    return result;
  }

  keep(definition: string, row: string, result: Result): void {
    const calls = this.#calls.get(definition) ?? new Map<string, Call>();
    this.#calls.set(definition, calls);
    const call = calls.get(row) ?? { results: [], made: 0 };
    if (call.results.length === 0) this.#grow(row.length);
    calls.set(row, call);
    call.results.push(result);
    this.#grow('text' in result ? (result.text?.length ?? 0) : 0);
  }

  /**
   * Notes calls that have no result yet.
   *
   * @throws Error instead of giving NULL for the only row of a chunk: DuckDB may keep what it computes for a plan
   */
  miss({ definition, texts, isOnce }: MissedChunk, rows: readonly string[]): void {
    this.#isWaiting = true;
    this.#missing ??= { definition, rows: [], isOnce };
    if (this.#missing.definition === definition) {
      for (const row of rows) {
        this.#grow(row.length);
        this.#missing.rows.push(row);
      }
    }
    if (texts.length <= 1) this.requireComplete();
  }

  /**
   * The calls that the last run has missed, in parts, each of which is to be computed in turn. Statements may take
   * turns between them: all calls of a function that keeps state are one part.
   */
  *missing(): Generator<(compute: ComputeApart) => Promise<void>> {
    const { definition, rows, isOnce } = this.#missing ?? { definition: '', rows: [], isOnce: true };
    const all = batches(rows);
    if (isOnce) {
      for (const batch of all) yield (compute) => this.#compute(definition, batch, compute);
      return;
    }
    yield async (compute) => {
      for (const batch of all) await this.#compute(definition, batch, compute);
    };
  }

  async #compute(definition: string, rows: readonly string[], compute: ComputeApart): Promise<void> {
    const answer = await compute(definition, rows);
    if ('isOver' in answer) throw new Error(tooSlow);
    const results = 'results' in answer ? (JSON.parse(answer.results) as unknown) : undefined;
    if (isTexts(results) && results.length === rows.length) {
      for (const [at, row] of rows.entries()) this.keep(definition, row, { text: results[at] ?? null });
    } else if (rows.length > 1) {
      // A call that fails may be one that only a NULL has caused, which no later run makes.
      for (const row of rows) await this.#compute(definition, [row], compute);
    } else this.keep(definition, rows[0] ?? '', { failure: failureOf(answer, results) });
  }

  #grow(length: number): void {
    this.#length += length;
    this.#isTooLarge ||= this.#length > maxKeptLength;
    if (this.#isTooLarge) throw new Error(tooMuchText);
  }
}

function* batches(rows: readonly string[]): Generator<readonly string[]> {
  for (let first = 0, next = 0; first < rows.length; first = next) {
    const end = Math.min(rows.length, first + batchRows);
    for (let length = 0; next < end && (next === first || length < batchLength); next += 1)
      length += rows[next]?.length ?? 0;
    yield rows.slice(first, next);
  }
}

/** A function can change how its results are written. */
export const isTexts = (value: unknown): value is readonly (string | null)[] =>
  Array.isArray(value) && value.every((item) => item === null || typeof item === 'string');

/** @param results as the thread has written them */
export function failureOf(answer: Answer, results: unknown): string {
  if ('failure' in answer) return answer.failure;
  const isRecord = typeof results === 'object' && results !== null && !Array.isArray(results);
  if (!isRecord) return 'it changes what computes it';
  const { failure } = results as { readonly failure?: unknown };
  return typeof failure === 'string' ? failure : 'its promise is never settled';
}
