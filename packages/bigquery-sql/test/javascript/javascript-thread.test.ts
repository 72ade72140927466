import { setTimeout as wait } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { expect, onTestFinished, test } from 'vitest';
import { nextStatement } from '../../src/duckdb/host/javascript-functions.ts';
import { computeInThread, endStatement, startThread } from '../../src/duckdb/javascript/javascript-thread.ts';
import type { JavascriptFunction } from '../../src/macros/javascript-function.ts';

test('each call has its own answer, also if this thread is woken for another one', async () => {
  const { flag } = startThread();
  const waking = new Worker(
    `const { workerData: flag } = require('node:worker_threads'); for (;;) Atomics.notify(flag, 0);`,
    { eval: true, workerData: flag },
  );
  onTestFinished(async () => void (await waking.terminate()));
  await wait(100);
  const twice: JavascriptFunction = {
    name: 'twice',
    parameters: [{ name: 'x', type: 'FLOAT64' }],
    returns: 'INT64',
    code: 'return 2 * x;',
  };
  const request = { id: nextStatement(), definition: JSON.stringify(twice), timeoutMs: 4_000 };
  for (let x = 0; x < 200; x += 1) {
    const answer = computeInThread({ ...request, rows: `[["${x}"]]` });
    expect(answer).toEqual({ results: `["${2 * x}"]` });
  }
  endStatement(request.id);
});
