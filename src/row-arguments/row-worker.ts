import { parentPort } from 'node:worker_threads';
import { RowTable } from './row-table.ts';
import { type RowOutcome, runRowTask } from './row-task.ts';
import type { FromThread, TaskRequest, ToThread } from './row-thread.ts';

/** Bytes of documents that are kept with what was read of them, beside the latest one. */
const maxKeptBytes = 64_000_000;

/** How long a task goes on before the next one has its turn. */
const turnMs = 5;

/** How often it is said what a task has used. */
const reportMs = 20;

interface KeptDocument {
  readonly identity: Buffer;
  readonly table: RowTable;
}

interface RunningTask {
  readonly documentId: number;
  readonly document: KeptDocument;
  readonly steps: Iterator<void, RowOutcome>;
  isPaused: boolean;
  /** The time it has used and not reported yet. */
  usedMs: number;
}

/** The latest one last. */
const kept = new Map<number, KeptDocument>();
/** By their numbers; the one whose turn is next comes first. */
const tasks = new Map<number, RunningTask>();
let isScheduled = false;

const post = (message: FromThread) => parentPort?.postMessage(message);

parentPort?.on('message', (message: ToThread) => {
  if (message.kind === 'ping') post('pong');
  else if (message.kind === 'run') begin(message);
  else if (message.kind === 'cancel') tasks.delete(message.id);
  else setPaused(message.id, message.kind === 'pause');
  schedule();
});

function begin({ id, documentId, identity, task }: TaskRequest): void {
  const known =
    kept.get(documentId) ?? (identity && { identity: Buffer.from(identity), table: new RowTable() });
  if (known === undefined) {
    post({ id, outcome: 'unknown document' });
    return;
  }
  keep(documentId, known);
  const steps = runRowTask(task, known.table, known.identity);
  tasks.set(id, { documentId, document: known, steps, isPaused: false, usedMs: 0 });
}

function setPaused(id: number, isPaused: boolean): void {
  const task = tasks.get(id);
  if (task !== undefined) task.isPaused = isPaused;
}

/** In turns of the event loop: the message that ends a task must arrive meanwhile. */
function schedule(): void {
  if (isScheduled || nextTask() === undefined) return;
  isScheduled = true;
  setImmediate(() => {
    isScheduled = false;
    const next = nextTask();
    if (next !== undefined) runTurn(...next);
    schedule();
  });
}

const nextTask = () => [...tasks].find(([, { isPaused }]) => !isPaused);

function runTurn(id: number, task: RunningTask): void {
  tasks.delete(id);
  const startedAt = performance.now();
  const startedWith = process.threadCpuUsage();
  try {
    for (;;) {
      const step = task.steps.next();
      if (step.done) {
        keep(task.documentId, task.document);
        post({ id, outcome: step.value });
        return;
      }
      if (performance.now() - startedAt > turnMs) break;
    }
  } catch (error) {
    post({ id, error });
    return;
  }
  const { user, system } = process.threadCpuUsage(startedWith);
  task.usedMs += (user + system) / 1_000;
  if (task.usedMs >= reportMs) {
    post({ id, usedMs: task.usedMs });
    task.usedMs = 0;
  }
  tasks.set(id, task);
}

function keep(documentId: number, document: KeptDocument): void {
  kept.delete(documentId);
  let bytes = 0;
  for (const { identity, table } of kept.values()) bytes += identity.byteLength + table.bytes;
  for (const [id, { identity, table }] of kept) {
    if (bytes <= maxKeptBytes) break;
    bytes -= identity.byteLength + table.bytes;
    kept.delete(id);
  }
  kept.set(documentId, document);
}
