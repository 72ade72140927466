import { untilAborted } from '../../concurrency/abort.ts';
import type { LoopTurns } from '../../concurrency/loop-turns.ts';
import type { Slots } from '../../concurrency/slots.ts';
import { callerDisconnected, GatewayError } from '../../errors.ts';
import type { Engine } from '../../engine-contract/engine.ts';
import type { Client } from './api/client.ts';
import { openDeadline } from './api/deadline.ts';
import type { BigqueryOptions } from './bigquery-options.ts';
import { buildQueryBody } from './query-body.ts';
import type { JobCanceller } from './job-canceller.ts';
import { runJob } from './run-job.ts';
import type { TextToRun } from './text-to-run.ts';

export interface RunContext {
  readonly client: Client;
  readonly slots: Slots;
  readonly options: BigqueryOptions;
  readonly timeoutMs: number;
  /** Aborted with a GatewayError when the engine closes. */
  readonly closing: AbortSignal;
  readonly textToRun: TextToRun;
  readonly jobs: JobCanceller;
  readonly turns: LoopTurns;
}

/** Runs saved queries on BigQuery, each within one deadline for queueing, calls, retries, polls and pages. */
export function openRun(context: RunContext): Engine['run'] {
  const { client, slots, options, timeoutMs, closing, textToRun, jobs, turns } = context;
  return async (bound, { signal, owner, onStart, span, maximumBytesBilled, onBill, beforeRows }) => {
    const deadline = openDeadline({ timeoutMs, caller: signal, closing });
    const { location } = options;
    const run = async () => {
      onStart?.();
      const body = {
        ...buildQueryBody(bound, withMaximum(options, maximumBytesBilled), await textToRun(bound, owner)),
        jobCreationMode: 'JOB_CREATION_OPTIONAL',
        // One row beyond max rows shows that the result is truncated.
        maxResults: bound.query.maxRows + 1,
      };
      return runJob({
        ...{ client, bound, deadline, body, location, jobs, turns, owner, onBill, span },
        ...(beforeRows && { beforeRows }),
      });
    };
    const work = slots.run(deadline.cancelled, run, owner).finally(() => deadline.release());
    try {
      // The caller does not wait for a call that is still in progress.
      return await untilAborted(work, deadline.cancelled);
    } catch (error) {
      if (error === signal.reason) throw callerDisconnected(error);
      throw isOwnMaximum(options, maximumBytesBilled) ? withoutMaximum(error) : error;
    }
  };
}

/** True if the limit of the settings is what a run may cost. */
const isOwnMaximum = ({ maximumBytesBilled: own }: BigqueryOptions, given: number | undefined): boolean =>
  own !== undefined && own <= (given ?? own);

/** The error of a run that is beyond the limit of the settings, and not beyond that of its options. */
const withoutMaximum = (error: unknown): unknown =>
  error instanceof GatewayError && error.isOverMaximum
    ? new GatewayError(error.code, error.message, { cause: error.cause })
    : error;

/** The smaller of two limits. */
const withMaximum = (options: BigqueryOptions, given: number | undefined): BigqueryOptions =>
  given === undefined
    ? options
    : { ...options, maximumBytesBilled: Math.min(given, options.maximumBytesBilled ?? given) };
