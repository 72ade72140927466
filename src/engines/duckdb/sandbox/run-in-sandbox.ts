import { hash } from 'node:crypto';
import type { BoundQuery } from '../../../catalog/binding/bind.ts';
import { untilAborted } from '../../../concurrency/abort.ts';
import type { EngineListener, Rows, RunOptions } from '../../../engine-contract/engine.ts';
import { DocumentRows } from '../../../engine-contract/rows-document.ts';
import { GatewayError } from '../../../errors.ts';
import { bindingsOf } from '@querygate/bigquery-sql/duckdb';
import type { Runnable } from '../prepare/prepare-catalog.ts';
import type { SandboxLimits } from '../duckdb-options.ts';
import { inlinedParameters } from '../prepare/plans.ts';
import type { RunCallerSql } from '../run/run-query.ts';
import { exportRows, removeFiles } from './export-rows.ts';
import { type Sandboxes, StoppedText, type StopReason } from './open-sandboxes.ts';
import type { SandboxProcess } from './sandbox-process.ts';
import type { Strikes } from './strikes.ts';
import type { FilesReading } from '@querygate/duckdb-import';

interface SandboxContext extends Omit<Parameters<typeof exportRows>[0], 'maxBytes'> {
  readonly sandboxes: Sandboxes;
  readonly limits: SandboxLimits;
  readonly strikes: Strikes;
  readonly now: () => Date;
  readonly onStopped: NonNullable<EngineListener['sqlStopped']>;
}

/**
 * Runs a caller's SQL in a process of its own, which compiles it, says what it reads, gets these rows of the tenant, and has
 * no others.
 */
export function buildRunInSandbox(context: SandboxContext): RunCallerSql {
  const { sandboxes, strikes } = context;
  return async (runnable, bound, options, requireData, reading) => {
    const { owner, signal } = options;
    strikes.requireNone(owner);
    const run = async (): Promise<Rows> => {
      try {
        return await sandboxes.use({ owner, signal }, (sandbox) =>
          runOn(context, sandbox, runnable, bound, options, requireData, reading),
        );
      } catch (error) {
        if (!isStopped(error, 'others waited')) throw error;
      }
      return run();
    };
    const counted = run()
      // Another process has killed it, which the text may have no part in.
      .catch((error: unknown) =>
        isStopped(error, 'killed') && !signal.aborted ? run() : Promise.reject(error),
      )
      .catch((error: unknown) => {
        if (!(error instanceof StoppedText)) throw error;
        strike(context, bound, options, error.reason);
        signal.throwIfAborted();
        throw stoppedError(error, context.limits);
      });
    return untilAborted(counted, signal);
  };
}

const isStopped = (error: unknown, reason: StopReason): boolean =>
  error instanceof StoppedText && error.reason === reason;

async function runOn(
  { pool, defineMacros, javascript, limits, now }: SandboxContext,
  sandbox: SandboxProcess,
  runnable: Runnable,
  { query, parameters, sql }: BoundQuery & { readonly sql: string },
  { owner, signal, onStart, beforeRows }: RunOptions,
  requireData: (tables: readonly string[]) => void,
  reading: FilesReading | undefined,
): Promise<Rows> {
  const exported = runnable.exported();
  if (exported === undefined) throw new Error(`${query.name} takes no SQL`);
  signal.throwIfAborted();
  onStart?.();
  const moment = now();
  const known = inlinedParameters(query, parameters);
  const reads = await sandbox.judge(exported.outline, {
    sql,
    parameters,
    known,
    now: moment.getTime(),
    maxRows: query.maxRows,
  });
  signal.throwIfAborted();
  const { tables } = exported;
  const read = tables
    .filter(({ outline }) => reads.some(({ table }) => table === outline.name))
    .flatMap((one) => one.tables);
  requireData(read);
  const files = await exportRows(
    { pool, defineMacros, javascript, maxBytes: limits.diskBytes },
    {
      name: query.name,
      key: `rows ${hash('sha256', `${query.id} ${JSON.stringify(reads)}`)}`,
      ...{ owner, signal, tables, reads, reading, known, folder: sandbox.folder },
      bindings: bindingsOf(parameters, moment, query.parameters),
    },
  );
  try {
    // A file may have been replaced in part meanwhile.
    requireData(read);
    const { rowCount, truncated, columns } = await sandbox.run(files);
    await beforeRows?.(signal);
    const rows = new DocumentRows({ parts: [await sandbox.rows()], rowCount }, truncated);
    return Object.assign(rows, { columns });
  } finally {
    removeFiles(files);
  }
}

function strike(
  { strikes, onStopped }: SandboxContext,
  { query, sql }: BoundQuery & { readonly sql: string },
  { owner }: RunOptions,
  reason: StopReason,
): void {
  const rests = reason !== 'killed' && strikes.add(owner);
  onStopped({ owner, endpoint: query.name, sqlSha256: hash('sha256', sql), reason, rests });
}

/** The error for the caller of a text whose process was ended. */
function stoppedError(cause: StoppedText, { processorMs }: SandboxLimits): GatewayError {
  switch (cause.reason) {
    case 'memory':
      return new GatewayError('ENGINE_FAILED', 'The query needs more memory than the engine may use', {
        cause,
      });
    case 'processor time':
      return new GatewayError(
        'QUERY_TOO_EXPENSIVE',
        `sql: takes more than ${processorMs / 1000} s of processor time; ask for fewer rows, or a shorter time`,
        { cause },
      );
    default:
      // Its process has said itself what failed.
      if (cause.cause instanceof GatewayError) return cause.cause;
      return new GatewayError(
        'ENGINE_FAILED',
        'sql: ended the process that it ran in; write it in another way',
        { cause },
      );
  }
}
