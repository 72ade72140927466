import { pino } from 'pino';
import { expect, test } from 'vitest';
import { Closers } from '../../../../src/concurrency/closers.ts';
import { runSteps, LoopTurns } from '../../../../src/concurrency/loop-turns.ts';
import { buildGraphql } from '../../../../src/http/graphql/graphql.ts';
import { ByteBudget } from '../../../../src/http/message/byte-budget.ts';
import type { RequestHead } from '../../../../src/http/message/head.ts';
import { PreparedRequest } from '../../../../src/http/message/prepared-request.ts';
import type { Admission } from '../../../../src/call/caller.ts';
import { unrestricted } from '../../../../src/keys/principal.ts';
import { zeroCounters } from '../../../../src/results/counters.ts';
import type { GetResult } from '../../../../src/results/get-result.ts';
import { openResultStore } from '../../../../src/results/result-store.ts';
import { buildDocument } from '../../../../src/results/result-document.ts';
import { openReadRows } from '../../../../src/row-arguments/row-reader.ts';
import { buildPageOfResult } from '../../../../src/row-pages/page-of-result.ts';
import { draftQuery } from '../../../support/queries.ts';
import { runTime } from '../../../support/run-time.ts';
import { openCalls } from '../../../support/calls.ts';

const queries = ['wrong', 'failing'].map((name) => draftQuery({ name, columns: { x: 'integer' }, sql: '' }));
const catalog = { queries, tables: [] };

/** Answers an operation on `failing`, which fails by a bug, and on `wrong`, whose rows are no integers. */
async function answer(query: string, rowCount: number) {
  const lines: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line) => void lines.push(line) });
  const rows = Array(rowCount).fill('{"x":"no integer"}');
  const document = await buildDocument({ rows, truncated: false }, runTime(0));
  const getResult: GetResult = async (bound) => {
    if (bound.query.name === 'failing') throw new TypeError('a bug');
    return { document, caching: 'disabled', cacheStatus: 'HIT' } as never;
  };
  const { derived } = openResultStore(1_000_000, zeroCounters());
  const turns = new LoopTurns();
  const build = buildGraphql({
    ...openCalls(getResult, { turns }),
    readRows: openReadRows({ derived, turns, timeoutMs: 30_000 }, new Closers()),
    pageOfResult: buildPageOfResult({ derived, turns }),
    introspection: true,
    audit: () => {},
    derived,
    budget: new ByteBudget(),
    turns,
    log,
    elapsedMs: () => Date.now(),
  });
  const graphql = runSteps(build(catalog));
  const url = new URL('http://gateway.test/graphql');
  const headers = { 'content-type': 'application/json' };
  const head: RequestHead = {
    method: 'POST',
    url: url.href,
    headers,
    signal: new AbortController().signal,
    address: '127.0.0.1',
  };
  const admission: Admission = {
    principal: unrestricted('test'),
    noCache: false,
    schedule: (work) => work(),
  };
  const reply = await graphql(head, new PreparedRequest(url, '/graphql'), admission, async () =>
    Buffer.from(JSON.stringify({ query })),
  );
  return { reply, lines };
}

test('a cell that does not fit its type is an error of its own, and other errors are logged once', async () => {
  const { reply, lines } = await answer('{ failing { rowCount } wrong { rows { x } } }', 1);
  const { data, errors } = JSON.parse(String(reply.body));
  expect(data).toEqual({ failing: null, wrong: { rows: [{ x: null }] } });
  expect(errors.map(({ path }: { path: unknown }) => path)).toEqual([['failing'], ['wrong', 'rows', 0, 'x']]);
  expect(lines.filter((line) => line.includes('"message":"a bug"'))).toHaveLength(1);
});

test('an executor does not look for such a cell in more rows than it may write', async () => {
  await expect(answer('{ wrong { rows { x } } }', 50_000)).rejects.toThrow('does not fit its declared type');
});
