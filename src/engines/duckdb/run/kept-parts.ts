import type { DuckDBConnection } from '@duckdb/node-api';
import type { Bindings, HostWork } from '@querygate/bigquery-sql/duckdb';
import { buildExclusive, type FilesReading, type StoredTables } from '@querygate/duckdb-import';
import type { BoundQuery } from '../../../catalog/binding/bind.ts';
import { openLinkedAbort } from '../../../concurrency/abort.ts';
import { systemClock } from '../../../concurrency/clock.ts';
import type { Owner } from '../../../concurrency/fair-share.ts';
import { SingleFlight } from '../../../concurrency/single-flight.ts';
import type { Wave } from '../../../engine-contract/engine.ts';
import { withoutValues } from '../../../engine-contract/without-values.ts';
import { GatewayError } from '../../../errors.ts';
import type { RunWithJavascript } from '../javascript/javascript-apart.ts';
import { partsSchema, type SharedPart, withRelations } from '../prepare/shared-parts.ts';
import type { ConnectionPool } from './connection-pool.ts';
import { interruptOnAbort } from './interrupt-on-abort.ts';
import { boundSql } from './over-files.ts';
import type { Worker } from './worker.ts';

interface KeptPartsOptions {
  readonly pool: ConnectionPool;
  readonly javascript: RunWithJavascript;
  readonly tables: Pick<StoredTables, 'version' | 'unchanging' | 'firstRead'>;
  /** Used for nothing else from then on. */
  readonly connection: DuckDBConnection;
  /** How long a query may take. */
  readonly timeoutMs: number;
  readonly now: () => Date;
  readonly onProblem: (message: string) => void;
  /** Aborted when the engine closes. */
  readonly closing: AbortSignal;
}

/** A refresh that reads parts. */
interface Reader {
  readonly bound: BoundQuery;
  readonly bindings: Bindings;
  /** That it reads, also through parts. */
  readonly files: FilesReading | undefined;
  readonly wave: Wave;
  readonly signal: AbortSignal;
  readonly owner: Owner;
}

/** The rows of parts for one reader, which exist until it releases them. */
export interface TakenParts {
  readonly relations: readonly string[];
  /** Begins a snapshot of the rows that the parts were computed from. @throws RowsChanged if there are others now */
  beginSnapshot(worker: Worker): Promise<void>;
  release(): void;
}

/** The stored rows are others than those that parts were computed from. */
export class RowsChanged extends Error {}

/** The rows of a part with some values of its parameters. */
interface Kept {
  /** The table that has them; undefined if they could not be computed. */
  readonly relation: string | undefined;
  readonly version: number;
  readers: number;
  /** When no reader comes any more, as `performance.now()`. */
  until: number;
  timer?: NodeJS.Timeout;
}

/** A part that is to be computed. */
interface Fill {
  readonly part: SharedPart;
  readonly reader: Reader;
  /** Of the parts that it reads. */
  readonly relations: readonly string[];
  readonly version: number;
}

/** How many tables there are at most: with more, the refreshes compute parts by themselves. */
const maxKept = 100;

/** How long a wave lasts at most, also if the clock is set back. */
const longestMs = 30_000;

export async function openKeptParts(options: KeptPartsOptions): Promise<KeptParts> {
  await options.connection.run(`CREATE SCHEMA IF NOT EXISTS ${partsSchema}`);
  return new KeptParts(options);
}

/**
 * The rows of materialized parts, in tables of the database in memory while a wave of refreshes lasts. Rows are those of one
 * moment, one version of the stored rows, and some values of parameters: another wave, or new rows, is another table.
 */
export class KeptParts {
  readonly #options: KeptPartsOptions;
  readonly #kept = new Map<string, Kept>();
  readonly #fills = new SingleFlight<Kept>(systemClock);
  /** The connection drops one table at a time. */
  readonly #exclusive = buildExclusive();
  #tablesMade = 0;
  readonly #reported = new Set<string>();

  constructor(options: KeptPartsOptions) {
    this.#options = options;
  }

  /** Computes those parts that no reader of the wave has computed. @returns undefined if the reader has to do it itself */
  async take(parts: readonly SharedPart[], reader: Reader): Promise<TakenParts | undefined> {
    const { tables } = this.#options;
    await tables.unchanging();
    const version = tables.version();
    if (version === undefined) return undefined;
    const held: Kept[] = [];
    const relations: string[] = [];
    const release = () => {
      for (const kept of held.splice(0)) this.#leave(kept);
    };
    try {
      for (const part of parts) {
        const kept = await this.#enter({ part, reader, relations, version });
        held.push(kept);
        if (kept.relation === undefined) break;
        relations.push(kept.relation);
      }
    } catch (error) {
      release();
      throw error;
    }
    if (relations.length === parts.length)
      return { relations, release, beginSnapshot: (worker) => this.#beginSnapshot(worker, version) };
    release();
    return undefined;
  }

  /** Resolves when the connection is no longer used. */
  close(): Promise<void> {
    for (const { timer } of this.#kept.values()) clearTimeout(timer);
    return this.#exclusive(async () => {});
  }

  async #enter(fill: Fill): Promise<Kept> {
    const { part, reader, relations, version } = fill;
    const { wave, bound, signal } = reader;
    const { sql, constants } = part.plan(bound.parameters);
    const rows = withRelations(sql, relations);
    // Constants have the same names in each plan.
    const computed = constants.map((constant) => constant.sql);
    const moment = part.readsTime ? wave.moment : undefined;
    const key = JSON.stringify([rows, computed, part.values(bound.parameters), moment, version]);
    const kept =
      this.#kept.get(key) ??
      (await this.#fills.wait(key, signal, (context) => this.#fill(key, fill, context.signal))).outcome;
    kept.readers += 1;
    kept.until = Math.max(kept.until, this.#untilOf(wave));
    clearTimeout(kept.timer);
    return kept;
  }

  #leave(kept: Kept): void {
    kept.readers -= 1;
    this.#dropLater(kept);
  }

  #untilOf = ({ until }: Wave): number =>
    performance.now() + Math.min(longestMs, until - this.#options.now().getTime());

  async #fill(key: string, fill: Fill, signal: AbortSignal): Promise<Kept> {
    const { version, reader } = fill;
    this.#dropOutdated(version);
    const relation = this.#kept.size < maxKept ? await this.#compute(fill, signal) : undefined;
    const kept: Kept = { relation, version, readers: 0, until: this.#untilOf(reader.wave) };
    this.#kept.set(key, kept);
    this.#dropLater(kept);
    return kept;
  }

  /** @returns the table; undefined if that fails: an error may be one of rows that the reader does not select */
  async #compute(fill: Fill, callers: AbortSignal): Promise<string | undefined> {
    const { javascript, closing, timeoutMs, onProblem } = this.#options;
    const { part, reader } = fill;
    // Readers have the other half to do it themselves.
    const timeout = {
      ms: timeoutMs / 2,
      reason: () => new Error('it takes more than half the time of a query'),
    };
    const { signal, release } = openLinkedAbort({ follow: [callers, closing], timeout });
    try {
      return await javascript.run({ owner: reader.owner, signal }, (work) => this.#run(fill, work, signal));
    } catch (error) {
      if (callers.aborted || closing.aborted) throw error;
      const isChanged = error instanceof RowsChanged || (await reader.files?.isUnchanged()) === false;
      // A full queue is not of the part.
      if (!isChanged && !(error instanceof GatewayError) && !this.#reported.has(part.name)) {
        this.#reported.add(part.name);
        const reason = textOf(signal.aborted ? signal.reason : error);
        onProblem(
          `${part.name} cannot be computed for several queries, which compute it themselves: ${reason}`,
        );
      }
      return undefined;
    } finally {
      release();
    }
  }

  #run({ part, reader, relations, version }: Fill, work: HostWork, signal: AbortSignal): Promise<string> {
    const plan = part.plan(reader.bound.parameters);
    const bindings = part.bindings(reader.bindings);
    const use = { key: plan.sql, name: part.name, owner: reader.owner, isCallerSql: false, signal };
    return this.#options.pool.use(use, async (worker, signal, onResult) => {
      signal.throwIfAborted();
      const stopInterrupting = interruptOnAbort(signal, worker);
      worker.beginWork(work);
      try {
        const computed = await worker.compute(plan.constants, bindings).catch(() => undefined);
        signal.throwIfAborted();
        work.apart?.requireComplete();
        await this.#beginSnapshot(worker, version);
        this.#tablesMade += 1;
        const relation = `${partsSchema}."${this.#tablesMade}"`;
        const { sql, values } = await boundSql(plan, () => part.generic, {
          ...{ bindings, computed, compute: worker.compute, reading: reader.files },
        });
        const rows = withRelations(sql, relations);
        await worker.runOnce(`CREATE TABLE ${relation} AS ${rows}`, values);
        signal.throwIfAborted();
        if ((await reader.files?.isUnchanged()) === false) throw new RowsChanged();
        try {
          await worker.commit();
          signal.throwIfAborted();
        } catch (error) {
          // A COMMIT that is interrupted may have made it.
          this.#drop(relation);
          throw error;
        }
        onResult();
        return relation;
      } finally {
        stopInterrupting();
        await worker.release();
      }
    });
  }

  async #beginSnapshot(worker: Worker, version: number): Promise<void> {
    const { tables } = this.#options;
    const requireCurrent = () => {
      if (tables.version() !== version) throw new RowsChanged();
    };
    requireCurrent();
    await worker.beginSnapshot();
    await worker.runOnce(tables.firstRead, new Map());
    requireCurrent();
  }

  #dropOutdated(version: number): void {
    for (const kept of this.#kept.values()) {
      if (kept.readers > 0 || kept.version === version) continue;
      kept.until = 0;
      this.#dropLater(kept);
    }
  }

  /** Drops a table when no one reads it, and no one will. */
  #dropLater(kept: Kept): void {
    clearTimeout(kept.timer);
    if (kept.readers > 0) return;
    // Never at once: those that have waited for it enter in this turn.
    const leftMs = Math.max(0, kept.until - performance.now());
    kept.timer = setTimeout(() => {
      const [key] = [...this.#kept].find(([, one]) => one === kept) ?? [];
      if (key !== undefined) this.#kept.delete(key);
      if (kept.relation !== undefined) this.#drop(kept.relation);
    }, leftMs).unref();
  }

  #drop(relation: string): void {
    const { connection, closing } = this.#options;
    this.#exclusive(async () => {
      if (!closing.aborted) await connection.run(`DROP TABLE IF EXISTS ${relation}`);
    }).catch((error: unknown) => this.#options.onProblem(String(error)));
  }
}

/** The message of an error without values of rows. */
function textOf(error: unknown): string {
  const shown = withoutValues(error);
  return typeof shown === 'object' && shown !== null && 'message' in shown ? String(shown.message) : '';
}
