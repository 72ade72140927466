import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { Failure, Outcome, StatementProblem } from '@querygate/bigquery-sql/duckdb';
import { StartError } from '../../errors.ts';
import { moduleUrl } from '../../files/module-url.ts';
import { compileCache } from '../../process/compile-cache.ts';
import type { SqlStatement } from './options.ts';
import type { WorkerReply, WorkerRequest } from './worker.ts';

interface RunnerOptions {
  /** In the form of environment variables. */
  readonly settings: Readonly<Record<string, string>>;
  /** All statements that will run. */
  readonly texts: readonly string[];
  readonly explain: boolean;
  readonly timeoutMs: number;
  readonly maxRows: number;
  /** The program of the process that runs the statements. */
  readonly program?: URL;
}

interface Runner {
  /** @throws StartError if the data cannot be opened */
  open(): Promise<void>;
  run(statement: SqlStatement): Promise<Outcome>;
  close(): Promise<void>;
}

/**
 * The time beyond its time-out that a statement may take before its process is ended: planning cannot be interrupted.
 */
const graceMs = 2000;

/** Runs statements in a process of their own, which is replaced if a statement ends it or does not end. */
export function openRunner({
  settings,
  texts,
  explain,
  timeoutMs,
  maxRows,
  program = workerProgram,
}: RunnerOptions): Runner {
  let worker: Promise<ChildProcess> | undefined;

  const endWorker = async () => {
    const child = await worker?.catch(() => undefined);
    worker = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  };

  const openWorker = () => {
    worker ??= startWorker(program, { kind: 'open', settings, texts });
    return worker;
  };

  return {
    async open() {
      await openWorker();
    },
    async run({ sql, parameters, listedViews, original }) {
      const child = await openWorker();
      const request: WorkerRequest = {
        kind: 'run',
        statement: { sql, parameters, listedViews },
        explain,
        timeoutMs,
        maxRows,
      };
      const reply = await ask(child, request, timeoutMs + graceMs);
      if (reply === 'late' || reply === 'ended') {
        await endWorker();
        const message =
          reply === 'late' ? `no result within ${timeoutMs / 1000} s` : 'the process of the query ended';
        return { error: { stage: reply === 'late' ? 'run time' : 'crash', message, line: 1, column: 1 } };
      }
      if (reply.kind === 'outcome') return withOriginalPlaces(reply.outcome, original);
      throw new Error(`unexpected reply ${reply.kind}`);
    },
    async close() {
      if (worker === undefined) return;
      const child = await worker.catch(() => undefined);
      if (child?.connected) await ask(child, { kind: 'close' }, graceMs);
      await endWorker();
    },
  };
}

const workerProgram = moduleUrl('./worker', import.meta.url);

async function startWorker(program: URL, request: WorkerRequest): Promise<ChildProcess> {
  const child = fork(program, {
    env: { ...process.env, NODE_COMPILE_CACHE: compileCache() },
    serialization: 'advanced',
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  // The data may take any time to load.
  const reply = await ask(child, request, undefined);
  if (reply !== 'late' && reply !== 'ended' && reply.kind === 'opened') return child;
  child.kill('SIGKILL');
  const isBad = typeof reply === 'object' && reply.kind === 'bad start';
  const { summary, problems } = isBad ? reply : { summary: 'DuckDB did not start', problems: [] };
  throw new StartError(summary, problems);
}

/** Sends a request. @returns 'late' if there is no reply in time, 'ended' if the process ended */
function ask(
  child: ChildProcess,
  request: WorkerRequest,
  withinMs: number | undefined,
): Promise<WorkerReply | 'late' | 'ended'> {
  const { promise, resolve } = Promise.withResolvers<WorkerReply | 'late' | 'ended'>();
  const onMessage = (reply: WorkerReply) => resolve(reply);
  const onEnd = () => resolve('ended');
  const timer = withinMs === undefined ? undefined : setTimeout(resolve, withinMs, 'late');
  child.once('message', onMessage).once('exit', onEnd).once('error', onEnd);
  if (child.connected) child.send(request, (error) => error && onEnd());
  else onEnd();
  return promise.finally(() => {
    clearTimeout(timer);
    child.off('message', onMessage).off('exit', onEnd).off('error', onEnd);
  });
}

function withOriginalPlaces(outcome: Outcome, original: SqlStatement['original']): Outcome {
  if (!('error' in outcome)) return outcome;
  const restore = <P extends StatementProblem>(problem: P): P => ({ ...problem, ...original(problem) });
  const { more, ...first } = outcome.error;
  const error: Failure['error'] = { ...restore(first), ...(more && { more: more.map(restore) }) };
  return { error };
}
