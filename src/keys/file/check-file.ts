import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Problem } from '../../errors.ts';
import { moduleUrl } from '../../files/module-url.ts';
import type { EndpointNames } from '../principal.ts';
import { type ParsedKeys, parseKeys } from './parse-keys.ts';
import { unknownEndpoints } from './unknown-endpoints.ts';

/** A key file and everything that is found in it. */
export interface CheckedKeys extends Pick<ParsedKeys, 'keys' | 'problems' | 'isWhole'> {
  /** Endpoints that no saved query has: worth a warning, no problem of the file. */
  readonly unknownEndpoints: readonly Problem[];
}

/** The input of a thread that checks a key file. */
export interface CheckTask {
  readonly file: string;
  readonly text: string;
  readonly queries: EndpointNames;
}

export function checkKeys({ file, text, queries }: CheckTask): CheckedKeys {
  const parsed = parseKeys(file, text);
  const { keys, problems, isWhole } = parsed;
  return { keys, problems, isWhole, unknownEndpoints: unknownEndpoints(file, parsed, queries) };
}

/** Characters that are checked within some ten milliseconds, less than it takes to start a thread. */
const maxInlineLength = 20_000;

/** Checks a large file in a thread of its own: YAML of ten thousand keys takes more than a second. */
export async function checkKeysOffLoop(task: CheckTask): Promise<CheckedKeys> {
  if (task.text.length <= maxInlineLength) return checkKeys(task);
  const worker = new Worker(moduleUrl('./check-worker', import.meta.url), { workerData: task });
  try {
    // An error of the thread rejects it.
    const [checked] = (await once(worker, 'message')) as [CheckedKeys];
    return checked;
  } finally {
    await worker.terminate();
  }
}
