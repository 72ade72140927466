import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Closers } from '../../src/concurrency/closers.ts';
import type { Owner } from '../../src/concurrency/fair-share.ts';
import { LoopTurns, runSteps } from '../../src/concurrency/loop-turns.ts';
import { buildApplyRowRequest } from '../../src/gateway/apply-row-request.ts';
import { readRowRequest } from '../../src/http/rest/row-parameters.ts';
import { ByteBudget } from '../../src/http/message/byte-budget.ts';
import type { RequestHead } from '../../src/http/message/head.ts';
import { EndpointRequest } from '../../src/call/endpoint-request.ts';
import { unrestricted } from '../../src/keys/principal.ts';
import { zeroCounters } from '../../src/results/counters.ts';
import type { CachedResult } from '../../src/results/get-result.ts';
import { openResultStore } from '../../src/results/result-store.ts';
import { buildDocument, parseRows } from '../../src/results/result-document.ts';
import { openReadRows } from '../../src/row-arguments/row-reader.ts';
import { RowTable } from '../../src/row-arguments/row-table.ts';
import { runRowTask } from '../../src/row-arguments/row-task.ts';
import { measureLongestTurn } from '../support/longest-turn.ts';
import { draftQuery } from '../support/queries.ts';
import { runTime } from '../support/run-time.ts';

const query = draftQuery({
  columns: { id: 'integer', text: 'string', share: 'float' },
  caching: ['caching: 900s', 'row_arguments: all'],
  maxRows: 100_000,
  sql: 'select 1',
});

const rowCount = 64_000;

/** 64 MB. */
async function largeResult(): Promise<CachedResult> {
  const rows = Array.from({ length: rowCount }, (_, id) =>
    JSON.stringify({ id, text: `${(id * 7919) % 64_007} ${'aé'.repeat(330)}`, share: (id * 31) % 1000 }),
  );
  const document = await buildDocument({ rows, truncated: false }, runTime(0));
  const caching = { ttlSeconds: 900, warmingSeconds: undefined, staleIfErrorSeconds: 900 };
  return { document, caching, cacheStatus: 'HIT', obtainedAt: 0 };
}

const requestOf = (search: string) => {
  const parameters = new Map(
    [...new URLSearchParams(search)].map(([name, value]) => [name, [value]] as const),
  );
  const request = readRowRequest(new EndpointRequest(query, parameters));
  if (request === undefined) throw new Error('nothing is asked');
  return request;
};

const callerNamed = (owner: Owner, signal = new AbortController().signal) => ({ owner, signal });

test('conditions on 64 MB, hostile ones too, do not hold the event loop', async () => {
  const result = await largeResult();
  const { derived } = openResultStore(400_000_000, zeroCounters());
  const turns = new LoopTurns();
  const readRows = openReadRows({ derived, turns, timeoutMs: 30_000 }, new Closers());
  const apply = buildApplyRowRequest({ readRows, budget: new ByteBudget(), turns });
  const { signal } = new AbortController();
  const head = { headers: {}, signal } as RequestHead;
  const admission = { principal: unrestricted('a key'), noCache: false, schedule: undefined };
  const end = measureLongestTurn();
  const found = [];
  for (const search of [
    'share=eq.5&order=text.desc&limit=3',
    `text=like.*${'a*'.repeat(100)}b`,
    `or=(${Array.from({ length: 95 }, (_, at) => `text.gt.${at}`).join(',')})`,
    'order=share.desc,text,id.desc',
    'select=count(),share.avg(),text.max()',
  ]) {
    const { document } = await apply(result, requestOf(search), { head, admission });
    found.push(document.metadata.rowCount);
    expect(document.metadata.ofRows).toBe(rowCount);
    if (found.length === 1) expect(parseRows(document).map(({ share }) => share)).toEqual([5, 5, 5]);
  }
  expect(end()).toBeLessThan(50);
  expect(found).toEqual([3, 0, rowCount, rowCount, 1]);
}, 300_000);

test('closing ends the thread, and what waits for it', async () => {
  const result = await largeResult();
  const { derived } = openResultStore(400_000_000, zeroCounters());
  const closers = new Closers();
  const readRows = openReadRows({ derived, turns: new LoopTurns(), timeoutMs: 30_000 }, closers);
  const { task } = requestOf('share=lt.3&order=text');
  const read = async (owner: string) => readRows(result, task, callerNamed(owner));
  const reading = Promise.allSettled([read('a'), read('b')]);
  await setImmediate();
  await closers.close();
  const closed = { status: 'rejected', reason: expect.objectContaining({ code: 'CANCELLED' }) };
  expect(await reading).toEqual([closed, closed]);
  await expect(read('c')).rejects.toMatchObject({ code: 'CANCELLED' });
}, 300_000);

test('a thread answers as the event loop does', async () => {
  const result = await largeResult();
  const { derived } = openResultStore(400_000_000, zeroCounters());
  const readRows = openReadRows({ derived, turns: new LoopTurns(), timeoutMs: 30_000 }, new Closers());
  const { task } = requestOf('share=lt.3&order=text&offset=2');
  const own = runSteps(runRowTask(task, new RowTable(), result.document.encodings.identity));
  const [one, other] = await Promise.all([
    readRows(result, task, callerNamed('a')),
    readRows(result, task, callerNamed('b')),
  ]);
  expect(one).toEqual(own);
  expect(other).toEqual(own);
}, 300_000);

/** Takes many seconds: each character of each text is compared many times. */
const hostile = `text=like.*${'a_'.repeat(12)}b*`;

test('a task of another owner does not wait for a long one, and one that nobody waits for ends', async () => {
  const result = await largeResult();
  const { derived } = openResultStore(400_000_000, zeroCounters());
  const closers = new Closers();
  const readRows = openReadRows({ derived, turns: new LoopTurns(), timeoutMs: 600_000 }, closers);
  const { task } = requestOf('share=lt.3&order=text');
  await readRows(result, task, callerNamed('b'));
  const leaving = new AbortController();
  const tasks = ['1', '2', '3', '4'].map(async (key) =>
    readRows(result, requestOf(hostile).task, callerNamed({ group: 'a', key }, leaving.signal)),
  );
  const ended: string[] = [];
  const settled = Promise.allSettled(tasks.map((one) => one.finally(() => ended.push('long'))));
  for (let at = 0; at < 5; at += 1) await readRows(result, task, callerNamed('b'));
  expect(ended).toEqual([]);
  leaving.abort();
  const cancelled = { status: 'rejected', reason: expect.objectContaining({ code: 'CANCELLED' }) };
  expect(await settled).toEqual(tasks.map(() => cancelled));
  await readRows(result, task, callerNamed('a'));
  await closers.close();
}, 300_000);

test('a task has the time of other requests', async () => {
  const result = await largeResult();
  const { derived } = openResultStore(400_000_000, zeroCounters());
  const closers = new Closers();
  const readRows = openReadRows({ derived, turns: new LoopTurns(), timeoutMs: 300 }, closers);
  await expect(readRows(result, requestOf(hostile).task, callerNamed('a'))).rejects.toMatchObject({
    code: 'QUERY_TOO_EXPENSIVE',
    message: 'To filter and order these rows takes more than 0.3 s; use fewer conditions',
  });
  await closers.close();
}, 300_000);

test('conditions that compare too much are refused before they run', async () => {
  const result = await largeResult();
  const { derived } = openResultStore(400_000_000, zeroCounters());
  const readRows = openReadRows({ derived, turns: new LoopTurns(), timeoutMs: 30_000 }, new Closers());
  const many = Array.from({ length: 100 }, (_, at) => `text.like.*${at}*a*b*`).join(',');
  for (const search of [`or=(${many})`, `text=like.*${'a_'.repeat(100)}b*`])
    expect(() => readRows(result, requestOf(search).task, callerNamed('a'))).toThrow(
      'To filter these rows takes too many comparisons of characters',
    );
}, 300_000);
