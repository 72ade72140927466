import { serialize } from 'node:v8';
import type { BoundQuery } from '../../catalog/binding/bind.ts';
import { type QueryForm, queryOfForm } from '../../catalog/model/query-forms.ts';
import type { Catalog, SavedQuery } from '../../catalog/model/saved-query.ts';
import { type Problem, StartError } from '../../errors.ts';
import type { Frame } from '../../process/frames.ts';
import { type Child, type ChildOptions, type Ending, startChild } from '../../process/start-child.ts';
import { watchChild } from '../../process/watch-child.ts';
import type { Rows, RunOptions, TableChanges, TimedTable } from '../engine.ts';
import type { EngineHost } from '../engine-factory.ts';
import { DocumentRows } from '../rows-document.ts';
import { CatalogSender } from './catalog-copies.ts';
import {
  type ChangesMessage,
  type CheckAnswer,
  type EndedMessage,
  type EventMessage,
  type OpenedMessage,
  type OpenMessage,
  type RunMessage,
  toEngine,
  toGateway,
} from './messages.ts';
import { changesFromWire, type WireChanges } from './wire-changes.ts';
import { errorFromWire } from './wire-error.ts';

/** The options that start the process of an engine. */
export interface RemoteOptions extends Pick<ChildOptions, 'program' | 'env' | 'flags' | 'addressSpaceBytes'> {
  /** For the engine, as the program passes them to `serveEngine`'s `open`; what V8 can serialize. */
  readonly settings: unknown;
  /** The most resident memory of the process, in bytes. */
  readonly memoryBytes: number;
}

/** The process has ended before it answered. */
export class ProcessEnded extends Error {
  /** True if the process may have crashed in what it was doing. */
  readonly isCrash: boolean;

  constructor(message: string, isCrash = false) {
    super(message);
    this.isCrash = isCrash;
  }
}

const ofCrashes = /^SIG(?:SEGV|ABRT|BUS|ILL|FPE|TRAP)$/;

const howOf = ({ code, signal }: Ending) => {
  if (signal !== null) return `was ended by ${signal}`;
  return code === null ? 'could not be started' : `ended with the exit code ${code}`;
};

/** How many seconds the process may leave signs of life unanswered. */
const silentSeconds = 10;

/** The time of the process is so old at most, also between runs. */
const tickMs = 1_000;

interface Request {
  hasStarted?: boolean;
  onStart?(): void;
  onPart?(bytes: Buffer): void;
  onWaiting?(): void;
  resolve(message: unknown): void;
  reject(error: unknown): void;
}

interface ProcessListener {
  onEvent(event: EventMessage): void;
  /** Called before what it was doing is rejected. @param how it has ended, for the log, after the words for the process */
  onEnd(how: string): void;
}

function startEngine(options: ChildOptions): Child {
  try {
    return startChild(options);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new StartError('The process of the engine cannot be started', [{ message }]);
  }
}

/** One process with an engine, until it ends. */
export class EngineProcess {
  readonly #host: Pick<EngineHost, 'limits' | 'now'>;
  readonly #settings: unknown;
  readonly #child: Child;
  readonly #requests = new Map<number, Request>();
  readonly #catalogs = new CatalogSender();
  readonly #onEvent: ProcessListener['onEvent'];
  readonly #watch: (silentSeconds: number) => () => void;
  /** By the numbers of queries. */
  #dataVersions: ReadonlyMap<number, string> = new Map();
  #last = 0;
  #killedBecause: string | undefined;
  #endedAs: ProcessEnded | undefined;
  readonly ended: Promise<void>;
  /** True once it has run a query. */
  hasWorked = false;

  /** @throws StartError if the system has no room for a process */
  constructor(
    host: Pick<EngineHost, 'limits' | 'now'>,
    options: RemoteOptions,
    { onEvent, onEnd }: ProcessListener,
  ) {
    this.#host = host;
    this.#settings = options.settings;
    this.#onEvent = onEvent;
    this.#child = startEngine({
      ...options,
      onFrame: (frame) => this.#onFrame(frame),
      onOutput: (text) => onEvent({ type: 'problem', text: `The process of the engine says: ${text}` }),
    });
    this.#watch = (silentSeconds) =>
      watchChild(this.#child, {
        memoryBytes: options.memoryBytes,
        silentSeconds,
        onKill: (reason) => {
          this.#killedBecause = reason;
        },
      });
    const ticks = setInterval(() => this.#sendTime(), tickMs).unref();
    this.ended = this.#child.ended.then((ending) => {
      clearInterval(ticks);
      const how = this.#killedBecause ?? howOf(ending);
      const message = `The process of the engine ${how}`;
      this.#endedAs = new ProcessEnded(message);
      onEnd(how);
      const isCrash = this.#killedBecause === undefined && ofCrashes.test(ending.signal ?? '');
      for (const { reject, hasStarted = false } of this.#requests.values())
        reject(new ProcessEnded(message, isCrash && hasStarted));
      this.#requests.clear();
    });
  }

  /** @returns the engine's source @throws ProcessEnded; as the engine does */
  async open(catalog: Catalog): Promise<string> {
    const message: OpenMessage = {
      catalog: this.#catalogs.describe(catalog, []),
      limits: this.#host.limits,
      settings: this.#settings,
      time: this.#host.now().getTime(),
    };
    // The time that opening takes is not known: it may import all rows.
    const endWatch = this.#watch(Number.POSITIVE_INFINITY);
    const { source } = await this.#ask<OpenedMessage>(toEngine.open, serialize(message));
    endWatch();
    this.#watch(silentSeconds);
    return source;
  }

  has(query: SavedQuery): boolean {
    return this.#numberOf(query) !== undefined;
  }

  dataVersionOf(query: SavedQuery): string | undefined {
    return this.#dataVersions.get(this.#numberOf(query) ?? 0);
  }

  #numberOf(query: SavedQuery): number | undefined {
    return this.#catalogs.numberOf(query) ?? this.#catalogs.numberOf(queryOfForm(query));
  }

  /** True if a version was checked. */
  knows(catalog: Catalog): boolean {
    return this.#catalogs.isLast(catalog);
  }

  /** @throws ProcessEnded; as the engine does; the signal's reason when it is aborted */
  run({ query, parameters, sql, labels }: BoundQuery, options: RunOptions): Promise<Rows> {
    const { signal, owner, wave, onStart, beforeRows } = options;
    const known = this.#catalogs.numberOf(query);
    const message: RunMessage = {
      query: this.#numberOf(query) ?? 0,
      form: known === undefined ? toForm(query) : undefined,
      parameters,
      sql,
      labels,
      owner,
      wave,
    };
    const parts: Buffer[] = [];
    const { promise, resolve, reject } = Promise.withResolvers<Rows>();
    const id = this.#add({
      ...(onStart && { onStart }),
      onPart: (bytes) => parts.push(bytes),
      onWaiting: () => {
        const goOn = () => this.#child.channel.send(toEngine.goOn, id);
        (beforeRows?.(signal) ?? Promise.resolve()).then(goOn, leaveFor);
      },
      resolve: async (answer) => {
        const { rowCount, truncated, ...more } = answer as EndedMessage;
        this.hasWorked = true;
        try {
          await beforeRows?.(signal);
          resolve(Object.assign(new DocumentRows({ parts, rowCount }, truncated), more));
        } catch (error) {
          reject(error);
        }
      },
      reject,
    });
    const leaveFor = (reason: unknown) => {
      if (this.#remove(id)) this.#child.channel.send(toEngine.cancel, id);
      reject(reason);
    };
    const leave = () => leaveFor(signal.reason);
    signal.addEventListener('abort', leave, { once: true });
    this.#sendTime();
    this.#child.channel.sendJson(toEngine.run, id, message);
    return promise.finally(() => signal.removeEventListener('abort', leave));
  }

  async changes(tables: readonly TimedTable[], since: string | undefined): Promise<TableChanges> {
    const message: ChangesMessage = { tables, since };
    const payload = Buffer.from(JSON.stringify(message));
    this.#sendTime();
    return changesFromWire(await this.#ask<WireChanges>(toEngine.changes, payload));
  }

  /** @param others versions whose queries may still be run */
  async check(
    catalog: Catalog,
    others: Iterable<Catalog>,
  ): Promise<ReadonlyMap<SavedQuery, readonly Problem[]>> {
    const message = this.#catalogs.describe(catalog, others);
    const answer = await this.#ask<CheckAnswer>(toEngine.check, serialize(message));
    const queries = new Map(message.queries.map((number, at) => [number, catalog.queries[at]]));
    return new Map(
      answer.flatMap(([number, problems]) => {
        const query = queries.get(number);
        return query === undefined ? [] : [[query, problems] as const];
      }),
    );
  }

  /** @returns the request, for `release` */
  replace(catalog: Catalog, others: Iterable<Catalog>): Promise<number> {
    const message = serialize(this.#catalogs.describe(catalog, others));
    return new Promise((resolve, reject) => {
      const request = this.#add({ hasStarted: true, resolve: () => resolve(request), reject });
      this.#child.channel.send(toEngine.replace, request, message);
    });
  }

  async release(replaced: number): Promise<void> {
    await this.#ask(toEngine.release, Buffer.from(JSON.stringify({ replaced })));
  }

  #sendTime(): void {
    this.#child.channel.sendJson(toEngine.time, 0, this.#host.now().getTime());
  }

  /** @param reason for the log, after the words for the process */
  kill(reason: string): void {
    this.#killedBecause ??= reason;
    // Its end may be awaited.
    this.#child.keepAlive(true);
    this.#child.kill();
  }

  /** Closes the engine, and ends the process in any case. @param withinMs how long closing may take */
  async close(withinMs: number): Promise<void> {
    const timer = setTimeout(() => this.#child.kill(), withinMs);
    this.#child.keepAlive(true);
    this.#child.channel.send(toEngine.close, 0);
    await this.ended;
    clearTimeout(timer);
  }

  #ask<T>(kind: number, payload: Buffer): Promise<T> {
    return new Promise((resolve, reject) => {
      const id = this.#add({ hasStarted: true, resolve: (answer) => resolve(answer as T), reject });
      this.#child.channel.send(kind, id, payload);
    });
  }

  #add(request: Request): number {
    if (this.#endedAs !== undefined) throw this.#endedAs;
    do this.#last = (this.#last + 1) % 2 ** 32;
    while (this.#last === 0 || this.#requests.has(this.#last));
    if (this.#requests.size === 0) this.#child.keepAlive(true);
    this.#requests.set(this.#last, request);
    return this.#last;
  }

  #remove(id: number): boolean {
    const wasThere = this.#requests.delete(id);
    if (this.#requests.size === 0) this.#child.keepAlive(false);
    return wasThere;
  }

  #takeEvent(event: EventMessage): void {
    if (event.type === 'dataVersions') this.#dataVersions = new Map(event.versions);
    this.#onEvent(event);
  }

  #onFrame({ kind, id, payload }: Frame): void {
    if (kind === toGateway.event) this.#takeEvent(JSON.parse(payload.toString()));
    // A run that was cancelled has none.
    const request = this.#requests.get(id);
    if (request === undefined) return;
    switch (kind) {
      case toGateway.started:
        request.hasStarted = true;
        request.onStart?.();
        break;
      case toGateway.part:
        request.onPart?.(payload);
        break;
      case toGateway.waiting:
        request.onWaiting?.();
        break;
      case toGateway.failed:
        // It may have failed because of the others, and is done once more.
        if (this.#killedBecause !== undefined) break;
        this.#remove(id);
        request.reject(errorFromWire(JSON.parse(payload.toString())));
        break;
      default:
        this.#remove(id);
        request.resolve(JSON.parse(payload.toString()));
    }
  }
}

const toForm = ({ sql, parameters, columns, maxRows, tenant }: SavedQuery): QueryForm => ({
  sql,
  parameters,
  columns,
  maxRows,
  tenant: tenant ?? null,
});
