import DataLoader from 'dataloader';
import type { BoundQuery } from '../catalog/binding/bind.ts';
import { defaultMaxItems } from '../catalog/binding/value-limits.ts';
import type { LoopTurns } from '../concurrency/loop-turns.ts';
import { Slots } from '../concurrency/slots.ts';
import { GatewayError } from '../errors.ts';
import { getOrAdd } from '../get-or-add.ts';
import { ownerOf } from '../keys/principal.ts';
import { cacheKey } from '../results/cache-key.ts';
import type { CachedResult, ObtainedResult } from '../results/get-result.ts';
import { valueKind } from '../row-arguments/cell-values.ts';
import { gatherRows } from '../row-arguments/gather-rows.ts';
import { allRows } from '../row-arguments/row-arguments.ts';
import type { ReadRows } from '../row-arguments/row-reader.ts';
import { callerOf, rowTask } from '../row-arguments/row-task.ts';
import type { Caller } from './caller.ts';
import { EndpointRequest } from './endpoint-request.ts';
import type { Call, Gate } from './gate.ts';
import type { Obtain } from './obtain.ts';

/** A list parameter that may have the values of several calls. */
export interface ValuesOfList {
  readonly parameter: string;
  /** The column that says to which of its values a row belongs. */
  readonly column: string | undefined;
}

interface ListValue {
  /** As the caller wrote it. */
  readonly text: string;
  /** As it is bound, and rows have it: it may have several spellings. */
  readonly value: string;
}

export interface LoadOptions {
  readonly gate: Gate;
  readonly obtain: Obtain;
  readonly readRows: ReadRows;
  readonly turns: LoopTurns;
  /** How many results one operation waits for at the same time: it may need more than engines let one key wait for. */
  readonly maxRunning: number;
}

/** A call whose caller has gone ends by itself when it has its slot. */
const untilDone = new AbortController().signal;

/** So many failed runs are halved: one wrong value of 256 is found by them. */
const maxFailedRuns = 8;

/** Longer lists take long to bind, and to compare. */
const maxShortList = 20;

/** The results of one operation: equal calls are one, and the values of a list are one. */
export class ResultLoader {
  readonly #options: LoadOptions;
  readonly #caller: Caller;
  readonly #results: DataLoader<Call, CachedResult, string>;
  readonly #loading = new Map<string, Promise<CachedResult>>();
  /** The results that were loaded, as they came. */
  readonly obtained: ObtainedResult[] = [];
  /** Set when the operation is executed once more: what was refused is refused without another line in the log. */
  isRepeated = false;
  readonly #refused = new Map<string, unknown>();
  /** Of calls whose results were in memory, by their keys. */
  readonly #found = new Map<string, CachedResult>();
  /** Calls that are being opened, in turns of the event loop: those of one step of the operation are one batch. */
  readonly #opening = new Set<Promise<Call>>();
  /** Of requests with long lists, by what they query. */
  readonly #first = new Map<string, EndpointRequest>();
  readonly #longLists = new Map<readonly string[], number>();
  #slots: Slots | undefined;
  /** By what they query apart from the list. */
  readonly #ofLists = new Map<string, DataLoader<ListValue, CachedResult, string>>();

  constructor(options: LoadOptions, caller: Caller) {
    this.#options = options;
    this.#caller = caller;
    this.#results = new DataLoader((calls) => this.#obtain(calls), {
      cacheKeyFn: ({ bound }) => cacheKey(bound),
      cacheMap: this.#loading,
      batchScheduleFn: this.#whenOpened,
    });
  }

  /**
   * @param toRun what runs in place of the query as it is bound for the caller: a page of it, or its rows under conditions
   * @throws GatewayError as `Gate.open` and `Obtain.whole` do
   */
  async load(endpoint: EndpointRequest, toRun?: (bound: BoundQuery) => BoundQuery): Promise<CachedResult> {
    const call = await this.#open(this.#firstOf(endpoint));
    const toLoad = toRun === undefined ? call : call.over(toRun(call.bound));
    return this.#found.get(cacheKey(toLoad.bound)) ?? this.#results.load(toLoad);
  }

  /** The result of a call at once, as `Gate.openAtOnce` and `Obtain.atOnce` have it; undefined for one that is to be loaded. */
  find(endpoint: EndpointRequest): CachedResult | undefined {
    const { gate, obtain } = this.#options;
    const call = gate.openAtOnce(this.#firstOf(endpoint), this.#caller);
    if (call === undefined) return undefined;
    const key = cacheKey(call.bound);
    const known = this.#found.get(key);
    if (known !== undefined || this.#loading.has(key)) return known;
    const result = obtain.atOnce(call);
    if (result === undefined) return undefined;
    this.#found.set(key, result);
    this.obtained.push({ bound: call.bound, result });
    return result;
  }

  /**
   * The result of one value of a list parameter, of a run for all values that the operation has for the same field and
   * arguments. A value that the caller may not have does not refuse the others.
   *
   * @param endpoint of the one value
   */
  async loadValue(endpoint: EndpointRequest, list: ValuesOfList): Promise<CachedResult> {
    const { bound } = await this.#open(this.#firstOf(endpoint));
    const { query, parameters, comparesTenant } = endpoint;
    const [text = ''] = parameters.get(list.parameter) ?? [];
    const [value = ''] = bound.parameters[list.parameter] ?? [];
    const others = [...parameters].filter(([name]) => name !== list.parameter);
    const loadValues = (values: readonly string[]) =>
      this.load(new EndpointRequest(query, new Map([...others, [list.parameter, values]]), comparesTenant));
    const loader = getOrAdd(this.#ofLists, JSON.stringify([query.id, list, others]), () => {
      const { maxItems = defaultMaxItems } =
        query.parameters.find(({ name }) => name === list.parameter) ?? {};
      return new DataLoader(
        (values: readonly ListValue[]) => this.#resultOfEach(values, endpoint, list, loadValues),
        {
          cacheKeyFn: ({ value }) => value,
          maxBatchSize: maxItems,
          batchScheduleFn: this.#whenOpened,
        },
      );
    });
    return loader.load({ text, value });
  }

  /** The first of equal requests with a long list, which is bound once. Fields share the list of a variable: it is not compared. */
  #firstOf(endpoint: EndpointRequest): EndpointRequest {
    const { query, parameters, comparesTenant } = endpoint;
    let isLong = false;
    for (const texts of parameters.values()) isLong ||= texts.length > maxShortList;
    if (!isLong) return endpoint;
    const given = [...parameters].map(([name, texts]) => [
      name,
      texts.length > maxShortList ? getOrAdd(this.#longLists, texts, () => this.#longLists.size) : texts,
    ]);
    return getOrAdd(this.#first, JSON.stringify([query.id, comparesTenant, given]), () => endpoint);
  }

  async #open(endpoint: EndpointRequest): Promise<Call> {
    const refused = this.isRepeated ? this.#refused.get(keyOf(endpoint)) : undefined;
    if (refused !== undefined) throw refused;
    const opening = this.#options.gate.open(endpoint, this.#caller);
    this.#opening.add(opening);
    try {
      return await opening;
    } catch (error) {
      this.#refused.set(keyOf(endpoint), error);
      throw error;
    } finally {
      this.#opening.delete(opening);
    }
  }

  /** Some at a time: of all batches, which differ if their calls were opened in different turns of the event loop. */
  #obtain(calls: readonly Call[]): Promise<readonly (CachedResult | Error)[]> {
    const { obtain, maxRunning } = this.#options;
    this.#slots ??= new Slots(maxRunning);
    const slots = this.#slots;
    return Promise.all(
      calls.map(async (call) => {
        try {
          const result = await slots.run(untilDone, () => obtain.whole(call));
          this.obtained.push({ bound: call.bound, result });
          return result;
        } catch (error) {
          return asError(error);
        }
      }),
    );
  }

  readonly #whenOpened = (dispatch: () => void): void => {
    void Promise.allSettled(this.#opening).then(dispatch);
  };

  /** @param failures how many runs have failed, of those of the same values */
  async #resultOfEach(
    values: readonly ListValue[],
    endpoint: EndpointRequest,
    list: ValuesOfList,
    load: (values: readonly string[]) => Promise<CachedResult>,
    failures = { count: 0 },
  ): Promise<readonly (CachedResult | Error)[]> {
    const { columns } = endpoint.query;
    const { column = '' } = list;
    const texts = values.map(({ text }) => text);
    // In any order they are the same rows.
    const result = await load(texts.toSorted()).catch(asError);
    if (values.length === 1) return [result];
    if (!('document' in result)) {
      if (!isFailedQuery(result) || ++failures.count > maxFailedRuns) return values.map(() => result);
      // The rows of some values may have failed.
      const middle = Math.ceil(values.length / 2);
      const halves = [values.slice(0, middle), values.slice(middle)].map((half) =>
        this.#resultOfEach(half, endpoint, list, load, failures),
      );
      return (await Promise.all(halves)).flat();
    }
    // Of some values, rows may have been cut off.
    if (result.document.metadata.truncated)
      return Promise.all(texts.map((text) => load([text]).catch(asError)));
    const kind = valueKind(columns.find(({ name }) => name === column)?.type ?? 'string');
    return Promise.all(
      values.map((one) => {
        const value = kind.ofText(one.value);
        const where =
          value === undefined
            ? ({ kind: 'in', column, values: [] } as const)
            : ({ kind: 'eq', column, value } as const);
        return this.#select(result, rowTask(columns, { ...allRows, where }));
      }),
    );
  }

  /** A result with the rows that a task finds, as a document of their own. */
  async #select(result: CachedResult, task: Parameters<ReadRows>[1]): Promise<CachedResult> {
    const { readRows, turns } = this.#options;
    const owner = ownerOf(this.#caller.admission.principal);
    const outcome = await readRows(result, task, callerOf(this.#caller.head, owner));
    return { ...result, document: await turns.run(owner, gatherRows(result.document, outcome)) };
  }
}

/** With lengths, and not as JSON: to escape a text that is refused for its size takes milliseconds. */
const keyOf = ({ query, parameters }: EndpointRequest): string => {
  const texts = [...parameters].flatMap(([name, values]) => [name, String(values.length), ...values]);
  return [query.id, ...texts].map((text) => `${text.length} ${text}`).join(' ');
};

const isFailedQuery = (error: Error): boolean =>
  error instanceof GatewayError && error.code === 'ENGINE_FAILED';

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));
