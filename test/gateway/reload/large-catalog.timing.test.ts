import { setImmediate as nextTurn } from 'node:timers/promises';
import { getIntrospectionQuery } from 'graphql';
import { expect, test } from 'vitest';
import { longestBlockMs } from '../../http/event-loop/block-meter.ts';
import { eventually } from '../../support/eventually.ts';
import { openFolderApp } from '../../support/folder-app.ts';
import { uuidOf } from '../../support/query-folder.ts';
import { apiKey } from '../../support/test-app.ts';

const count = 2_000;

const text = (at: number, description = 'a query of the tests') => `/*---
id: ${uuidOf(at)}
description: ${description}
max_rows: 100
caching: 3600s
query_sandboxing: enabled
parameters:
  project: { type: string, required: true, example: abc, description: the project }
  since: { type: timestamp, default: -1h, description: the beginning }
  interval:
    type: enum
    enum: Interval
    default: 1hr
    description: how long
    values: { 1hr: { name: ONE_HOUR, description: an hour }, 1day: { name: ONE_DAY, description: a day } }
columns:
  n: { type: integer, description: a number }
  of_project: { type: string, description: the project with the interval }
---*/
WITH q AS (SELECT ${at} AS n, CONCAT(@project, @interval) AS of_project, @since AS since) SELECT n, of_project FROM q
`;

const maxTurnMs = 50;

test('many new files at once, one changed file, and descriptions of all endpoints do not hold the event loop', async () => {
  const measured: Awaited<ReturnType<typeof longestTurns>>[] = [];
  for (let repetition = 0; repetition < 3; repetition += 1) measured.push(await longestTurns());
  const medians = (['added', 'changed', 'described'] as const).map((step) => {
    const [, median = Number.NaN] = measured.map((turns) => turns[step]).sort((a, b) => a - b);
    return [step, median] as const;
  });
  expect(medians.filter(([, ms]) => !(ms <= maxTurnMs))).toEqual([]);
}, 300_000);

/** The longest turn of each step, in ms, of a gateway of its own. */
async function longestTurns() {
  const { queries, app, logged, close } = await openFolderApp({ 'first.query.sql': text(0) });
  /** Until a version is served that fits. */
  const reloaded = async (isServed: () => boolean) => {
    app.reload();
    await eventually(() => expect(isServed()).toBe(true), 120_000);
  };
  const send = (path: string, init: RequestInit = {}) =>
    app.fetch(
      new Request(`http://gateway.test${path}`, {
        ...init,
        headers: { 'x-api-key': apiKey, 'content-type': 'application/json', 'accept-encoding': 'gzip' },
      }),
    );
  const describe = async () => {
    const body = JSON.stringify({ query: getIntrospectionQuery() });
    const answers = [await send('/graphql', { method: 'POST', body }), await send('/openapi.json')];
    // Compressed: the bytes of a `Response` are copied in one turn.
    return answers.map(({ status, headers }) => [status, headers.get('content-encoding')]);
  };
  const longest = {
    added: await longestBlockMs(async () => {
      for (let at = 1; at < count; at += 1) {
        queries.write(`area${at % 50}.query-${at}.sql`, text(at));
        // Few in a turn: they are not the gateway's.
        if (at % 5 === 0) await nextTurn();
      }
      await reloaded(() => app.catalog.queries.length === count);
    }),
    changed: await longestBlockMs(async () => {
      queries.write('area1.query-1.sql', text(1, 'changed'));
      await reloaded(() => app.catalog.queries.some(({ description }) => description === 'changed'));
    }),
    described: await longestBlockMs(async () => {
      expect(await describe()).toEqual([
        [200, 'gzip'],
        [200, 'gzip'],
      ]);
    }),
  };
  await close();
  expect(logged.filter(({ level }) => Number(level) > 30)).toEqual([]);
  return longest;
}
