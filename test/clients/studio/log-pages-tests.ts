import { describe, expect, test } from 'vitest';
import { expectRows } from '../compare-rows.ts';
import { type DemoGateway, project } from '../demo-gateway.ts';
import { type Case, studioCases } from './cases.ts';
import { statements } from './explorer.ts';
import { listSql } from './log-pages.ts';
import { byStatusCode, isMicroseconds, isPreview, sumOf } from './rows.ts';
import { type StudioReply, studioReply } from './server-route.ts';

/** A function of the demo's project. */
const functionId = '3f2a9c1e-5b7d-4e8f-9a6b-1c2d3e4f5a6b';

/** The statements of Studio's pages, sent as `sql` to a saved query with query_sandboxing: enabled. */
export function testLogPages(gateway: () => DemoGateway, isWhole: boolean): void {
  const send = (sql: string, parameters: Readonly<Record<string, string>> = {}): Promise<StudioReply> =>
    studioReply(gateway(), 'logs.all', project, { ...parameters, sql });

  const rowsOf = async ({ build, hours }: Case) => {
    const { tables, lastHours } = gateway();
    const { sql, parameters, expected } = await build(tables, lastHours(hours));
    const { body } = await send(sql, parameters);
    if (body.result === undefined) throw new Error(`${body.error?.message}\n${sql}`);
    return { rows: body.result, expected };
  };

  const cases = studioCases({ functionId });
  // Most differ by one filter: by day they are a sixteenth of all, and each page without a filter.
  const tried = cases.filter(
    ({ kind, name }, at) =>
      isWhole ||
      !['list', 'count', 'chart'].includes(kind) ||
      !name.endsWith('}') ||
      name.endsWith(' {}') ||
      at % 16 === 0,
  );
  for (const kind of ['list', 'count', 'chart', 'single', 'explorer and reports'] as const) {
    describe(`${kind}: the rows of the same SELECT written by hand`, () => {
      test.each(tried.filter((one) => one.kind === kind).map((one) => [one.name, one] as const))(
        '%s',
        async (_, one) => {
          const { rows, expected } = await rowsOf(one);
          expectRows(rows, expected);
        },
      );
    });
  }

  test('the hand-written rows are not empty', async () => {
    const { tables, lastHours } = gateway();
    const withRows = new Map<string, boolean>();
    for (const { name, kind, build, hours } of tried) {
      if (kind === 'count' || kind === 'chart' || name.startsWith('no row')) continue;
      const { expected } = await build(tables, lastHours(hours));
      withRows.set(name, expected.rows.length > 0);
    }
    const empty = [...withRows].flatMap(([name, hasRows]) => (hasRows ? [] : [name]));
    // The demo has no PUT and OPTIONS, no server error of auth, and the like.
    expect(empty.length).toBeLessThan(withRows.size / 5);
    const always = empty.filter((name) => name.endsWith(' {}') || !/_logs/.test(name));
    expect(always).toEqual(['explorer: commits by user', 'cron jobs: list']);
  });

  test.each(
    cases
      .filter(({ kind, name }) => kind === 'list' && name.endsWith(' {}'))
      .map((one) => [one.name, one] as const),
  )('%s: rows that the list can show, with times in microseconds', async (_, one) => {
    const { rows } = await rowsOf(one);
    expect(rows.every((row) => isPreview(row) && isMicroseconds(row.timestamp))).toBe(true);
  });

  test('charts and counts can be added up', async () => {
    const [count, chart] = await Promise.all(
      ['count function_edge_logs {}', 'chart of 20 hours function_edge_logs {}'].map(async (name) => {
        const one = cases.find((each) => each.name === name);
        if (one === undefined) throw new Error(name);
        return (await rowsOf({ ...one, hours: 20 })).rows;
      }),
    );
    const counted = Number(count?.[0]?.count);
    const charted = ['ok_count', 'error_count', 'warning_count'].reduce(
      (sum, column) => sum + sumOf(chart ?? [], column),
      0,
    );
    // The chart begins five days earlier.
    expect(charted).toBeGreaterThan(counted);
    expect(Number.isInteger(charted)).toBe(true);
  });

  test('status codes become columns of a chart', async () => {
    const one = cases.find(({ name }) => name === 'report: auth errors by status');
    if (one === undefined) throw new Error('no such case');
    const points = byStatusCode((await rowsOf(one)).rows);
    expect(points.length).toBeGreaterThan(1);
    for (const { timestamp, ...counts } of points) {
      expect(timestamp).toMatch(/Z$/);
      expect(Object.keys(counts).every((code) => /^4\d\d$|^5\d\d$/.test(code))).toBe(true);
      expect(
        sumOf(
          Object.values(counts).map((value) => ({ value })),
          'value',
        ),
      ).toBeGreaterThan(0);
    }
  });

  // What Studio sends and does not get, with a message that a person understands.
  test.each(
    Object.entries(statements).flatMap(([name, statementOf]) => {
      const { sql, needs } = statementOf({ start: '2026-01-01T00:00:00Z', end: '2026-01-02T00:00:00Z' });
      return needs === undefined ? [] : [[name, needs, sql] as const];
    }),
  )("%s needs the field %s, which the shipped tables don't have", async (_, needs, sql) => {
    expect((await send(sql)).body.error?.message).toMatch(needs);
  });

  test('the page of cron jobs of a self-hosted Studio casts as PostgreSQL does', async () => {
    const joins = 'cross join unnest(metadata) as m\n  cross join unnest(m.parsed) as parsed';
    const where = "where ( parsed.application_name = 'pg_cron' or event_message::text LIKE '%cron job%' )";
    const { body } = await send(`select id from postgres_logs\n${joins}\n${where}\nlimit 100`);
    expect(body.error?.message).toMatch(/::?/);
    expect(body.result).toBeUndefined();
  });

  test('a search with an apostrophe is refused, as BigQuery does: Studio doubles it', async () => {
    const { body } = await send(listSql('edge_logs', { search_query: "user's" }));
    expect(body.error?.message).toBeDefined();
    expect(body.result).toBeUndefined();
  });
}
