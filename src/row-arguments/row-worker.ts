import { parentPort } from 'node:worker_threads';
import { runSteps } from '../concurrency/loop-turns.ts';
import { RowTable } from './row-table.ts';
import { runRowTask } from './row-task.ts';
import type { ThreadReply, ThreadRequest } from './row-thread.ts';

/** Bytes of documents that are kept with what was read of them, beside the latest one. */
const maxKeptBytes = 64_000_000;

interface KeptDocument {
  readonly identity: Buffer;
  readonly table: RowTable;
}

/** The latest one last. */
const kept = new Map<number, KeptDocument>();

parentPort?.on('message', ({ documentId, identity, task }: ThreadRequest) => {
  const known =
    kept.get(documentId) ?? (identity && { identity: Buffer.from(identity), table: new RowTable() });
  const reply: ThreadReply =
    known === undefined ? 'unknown document' : runSteps(runRowTask(task, known.table, known.identity));
  if (known !== undefined) keep(documentId, known);
  parentPort?.postMessage(reply);
});

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
