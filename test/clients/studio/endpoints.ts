import { describe, expect, test } from 'vitest';
import { type DemoGateway, project } from '../demo-gateway.ts';
import { visible } from './expected-pages.ts';
import {
  authSeverity,
  chartSeries,
  detail,
  isMicroseconds,
  isoText,
  isPreview,
  olderThan,
  sumOf,
} from './rows.ts';
import { type Row, studioReply } from './server-route.ts';

/** Studio's charts and its list of edge requests, over the three saved queries as they are shipped. */
export function testEndpoints(gateway: () => DemoGateway, isCompat: boolean): void {
  const reply = (name: string, parameters: Record<string, string | undefined> = {}) =>
    studioReply(gateway(), name, project, parameters);
  const result = async (
    name: string,
    parameters: Record<string, string | undefined> = {},
  ): Promise<Row[]> => {
    const { status, body } = await reply(name, parameters);
    if (status !== 200 || body.result === undefined) throw new Error(JSON.stringify(body));
    return body.result;
  };

  describe("Studio's charts and list", () => {
    test.each([
      ['minutely', 60_000],
      ['hourly', 3_600_000],
      ['daily', 86_400_000],
    ])(
      'usage.api-counts, %s: UTC dates without zone, and totals that can be added',
      async (interval, stepMs) => {
        const rows = await result('usage.api-counts', { interval, ref: project, project_tier: 'FREE' });
        // The last hour has one bucket where a clock hour has just begun.
        expect(rows.length).toBeGreaterThan(interval === 'hourly' ? 0 : 1);
        const times = rows.map(({ timestamp }) => Date.parse(isoText(timestamp)));
        expect(times).toEqual(times.toSorted((a, b) => a - b));
        for (const time of times) expect(time % stepMs).toBe(0);
        for (const area of ['rest', 'storage', 'auth', 'realtime']) {
          const sum = sumOf(rows, `total_${area}_requests`);
          expect(Number.isInteger(sum)).toBe(true);
        }
        expect(sumOf(rows, 'total_rest_requests')).toBeGreaterThan(0);
      },
    );

    test('the totals of a week are those of the demo', async () => {
      const { tables, lastHours } = gateway();
      const rows = await result('usage.api-counts', { interval: 'daily' });
      // A whole day: neither the start of the window nor rows that were added since can change it.
      const day = rows.at(-3);
      const [counted] = await tables.rows(`
        SELECT count(*) FILTER (WHERE contains(metadata[1].request[1].path, '/rest')) AS rest
        FROM (${visible('edge_logs', lastHours(166))})
        WHERE date_trunc('day', "timestamp") = TIMESTAMP '${day?.timestamp}' AND metadata[1].request[1].url IS NOT NULL`);
      expect(day?.total_rest_requests).toBe(counted?.rest);
    });

    test('functions.invocation-stats: microseconds and numbers', async () => {
      const rows = await result('functions.invocation-stats', { interval: '1hr', function_id: '' });
      for (const row of rows) {
        expect(isMicroseconds(row.timestamp)).toBe(true);
        const times = ['min', 'avg', 'max'].map((which) => Number(row[`${which}_execution_time`]));
        expect(times).toEqual(times.toSorted((a, b) => a - b));
      }
      expect(sumOf(rows, 'count')).toBeGreaterThanOrEqual(sumOf(rows, 'error_count'));
    });

    test('a chart without gaps: one point for each bucket', async () => {
      const rows = await result('functions.invocation-stats', { interval: '7day' });
      const day = 86_400_000;
      const today = Math.floor(Date.now() / day) * day;
      const range = { start: new Date(today - 9 * day), end: new Date(today) };
      const points = chartSeries(rows, ['count', 'error_count'], range);
      expect(points.map(({ timestamp }) => timestamp)).toEqual(
        Array.from({ length: 10 }, (_, at) => new Date(today - (9 - at) * day).toISOString()),
      );
      expect(points[0]).toEqual({ timestamp: range.start.toISOString(), count: 0, error_count: 0 });
    });

    test('logs.all: rows of the list, with the nested fields of the detail pane', async () => {
      const rows = await result('logs.all', { project_tier: 'FREE' });
      expect(rows).toHaveLength(100);
      for (const row of rows) {
        expect(isPreview(row)).toBe(true);
        expect(isMicroseconds(row.timestamp)).toBe(true);
        if (detail(row, 'metadata') === undefined) continue;
        expect(detail(row, 'metadata', 'request')?.method).toMatch(/^[A-Z]+$/);
        expect(detail(row, 'metadata', 'response')?.status_code).toBeGreaterThan(99);
        expect(typeof detail(row, 'metadata', 'request', 'headers')?.user_agent).toBe('string');
      }
    });

    test('logs.all: older pages have other rows, and end', async () => {
      const first = await result('logs.all');
      const second = await result('logs.all', { iso_timestamp_end: olderThan(first) });
      expect(second).toHaveLength(100);
      const ids = new Set([...first, ...second].map(({ id }) => id));
      expect(ids.size).toBe(200);
      const last = await result('logs.all', { iso_timestamp_end: '2001-01-01T00:00:00.000Z' });
      expect(last).toEqual([]);
    });

    // Names and intervals of newer versions, which the headers of the shipped queries declare.
    test.each([
      ['functions.inv-stats', { interval: '1day' }, 'functions.invocation-stats', { interval: '1day' }],
      ['usage.api-counts', { interval: '1hr' }, 'usage.api-counts', { interval: 'minutely' }],
      ['usage.api-counts', { interval: '7day' }, 'usage.api-counts', { interval: 'daily' }],
    ])("newer Studio's %s %j is %s %j", async (newName, newParameters, name, parameters) => {
      const rows = await result(newName, newParameters);
      expect(rows.length).toBeGreaterThan(1);
      expect(rows).toEqual(await result(name, parameters));
    });

    // As Logflare, COMPAT=logflare gives no rows for what is missing or unknown, and an error without `error.message`.
    test.each([
      ['a value that is not allowed', { interval: '2hr' }, /interval.*minutely, hourly, daily/],
      ['a missing parameter', {}, /interval/],
    ])('%s is an error with a message for people', async (_, parameters, message) => {
      const { status, body } = await reply('usage.api-counts', parameters);
      if (isCompat) {
        expect({ status, body }).toEqual({ status: 200, body: { result: [] } });
        return;
      }
      expect(status).toBe(500);
      expect(body.error?.message).toMatch(message);
      expect(body.result).toBeUndefined();
    });

    test('so are an endpoint that does not exist and a wrong key', async () => {
      const unknown = await reply('no.such');
      const refused = await studioReply({ ...gateway(), key: 'wrong' }, 'logs.all', project, {});
      const messages = [unknown, refused].map(({ status, body }) => [status, body.error?.message]);
      expect(messages).toEqual(
        isCompat
          ? [
              [500, 'Failed to retrieve analytics data: Unauthorized'],
              [500, 'Failed to retrieve analytics data: Unauthorized'],
            ]
          : [
              [500, expect.stringContaining('name or UUID')],
              [500, expect.stringContaining('key')],
            ],
      );
    });
  });

  test("Studio's rules on values that the demo does not have", () => {
    expect(authSeverity('info', '503')).toBe('error');
    expect(authSeverity('info', 422)).toBe('warning');
    expect(authSeverity('fatal', 200)).toBe('fatal');
    expect(isoText('2026-03-10T12:00:00')).toBe('2026-03-10T12:00:00.000Z');
    expect(isoText(1773136800000001)).toBe('2026-03-10T10:00:00.000Z');
  });
}
