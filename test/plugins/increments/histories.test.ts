import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { BoundQuery } from '../../../src/catalog/binding/bind.ts';
import type { SavedQuery } from '../../../src/catalog/model/saved-query.ts';
import type { Rows, TableChanges, TimeRange } from '../../../src/engine-contract/engine.ts';
import { openRandom } from '../../../packages/bigquery-sql/test/support/random.ts';
import { isNightly } from '../../support/nightly.ts';
import { draftQuery } from '../../support/queries.ts';
import { openHistoryApp, type TestRow } from './history-app.ts';

const hour = 3_600_000_000;
const day = 24 * hour;

const zone = '{ type: string, description: A zone., required: true, example: UTC }';
const step = '{ type: string, description: A window., required: true, example: day }';
const aggregates = `count(*) as n, sum(amount) as total, count(distinct kind) as kinds, min(amount) as least,
  max(kind) as greatest`;
const columns = { n: 'integer', total: 'integer', kinds: 'integer', least: 'integer', greatest: 'string' };

interface Form {
  readonly name: string;
  readonly bucket: 'timestamp' | 'datetime' | 'date';
  readonly sql: string;
  readonly more?: Readonly<Record<string, string>>;
}

/** Forms of a chart: how its buckets are made, where its window begins and ends. */
const forms: readonly Form[] = [
  {
    name: 'plain',
    bucket: 'timestamp',
    sql: `select timestamp_trunc(ts, day) as b, ${aggregates} from events
      where ts >= timestamp_sub(current_timestamp(), interval 7 day) and kind != @zone group by b order by b`,
  },
  {
    name: 'wholewindow',
    bucket: 'timestamp',
    sql: `with buckets as (select b from unnest(generate_timestamp_array(
        timestamp_trunc(timestamp_sub(current_timestamp(), interval 20 hour), hour),
        timestamp_trunc(current_timestamp(), hour), interval 1 hour)) as b)
      select b, count(e.amount) as n, sum(e.amount) as total, count(distinct kind) as kinds, min(amount) as least,
        max(kind) as greatest from buckets left join events as e on timestamp_trunc(e.ts, hour) = b
      where @zone != '' group by b order by b desc`,
  },
  {
    name: 'days',
    bucket: 'date',
    sql: `with days as (select d from unnest(generate_date_array(
        date_sub(current_date(@zone), interval 6 day), current_date(@zone))) as d),
      stats as (select date(ts, @zone) as d, ${aggregates} from events
        where date(ts, @zone) >= date_sub(current_date(@zone), interval 6 day) group by d)
      select days.d as b, coalesce(n, 0) as n, total, kinds, least, greatest
      from days left join stats on stats.d = days.d order by days.d`,
  },
  {
    name: 'zoned',
    bucket: 'timestamp',
    sql: `select timestamp_trunc(ts, day, @zone) as b, ${aggregates} from events
      where ts >= timestamp_trunc(timestamp_sub(current_timestamp(), interval 9 day), day, @zone)
      and ts < current_timestamp() group by b order by b desc`,
  },
  {
    name: 'localhours',
    bucket: 'datetime',
    sql: `select datetime_trunc(datetime(ts, @zone), hour) as b, ${aggregates} from events
      where ts between timestamp_sub(current_timestamp(), interval 3 day)
      and timestamp_sub(current_timestamp(), interval 10 minute) group by b order by b`,
  },
  {
    name: 'weeks',
    bucket: 'date',
    sql: `select date_trunc(date(ts, @zone), week(monday)) as b, ${aggregates} from events
      where date(ts) > date_sub(current_date(), interval 5 week) group by 1 order by 1`,
  },
  {
    name: 'months',
    bucket: 'timestamp',
    sql: `select timestamp(date_trunc(date(ts, @zone), month)) as b, ${aggregates} from events
      where ts >= timestamp_sub(current_timestamp(), interval 100 day) group by 1 order by 1 desc`,
  },
  {
    name: 'union',
    bucket: 'timestamp',
    sql: `select b, count(*) as n, sum(amount) as total, count(distinct kind) as kinds, min(amount) as least,
        max(kind) as greatest from (
      select timestamp_trunc(ts, hour) as b, amount, kind from events
        where ts > timestamp_sub(current_timestamp(), interval 30 hour)
      union all select timestamp_trunc(ts, hour) as b, -amount, kind from visits
        where ts > timestamp_sub(current_timestamp(), interval 25 hour)) where @zone is not null group by b order by b`,
  },
  {
    name: 'joined',
    bucket: 'timestamp',
    sql: `with e as (select timestamp_trunc(ts, day) as b, count(*) as n, sum(amount) as total from events
        where ts >= timestamp_sub(current_timestamp(), interval 7 day) group by b),
      v as (select timestamp_trunc(ts, day) as b, count(distinct kind) as kinds, min(amount) as least,
        max(kind) as greatest from visits where ts >= timestamp_sub(current_timestamp(), interval 7 day) group by b)
      select e.b as b, n, total, coalesce(kinds, 0) as kinds, least, greatest from e left join v on v.b = e.b
      where @zone is not null order by e.b`,
  },
  {
    name: 'recent',
    bucket: 'timestamp',
    sql: `select timestamp_seconds(div(unix_seconds(ts), 300) * 300) as b, countif(ts > timestamp_sub(current_timestamp(), interval 2 hour))
        as n, sum(amount) as total, count(distinct kind) as kinds, min(amount) as least, max(kind) as greatest
      from events where ts >= timestamp_sub(current_timestamp(), interval 12 hour) and @zone is not null group by b order by b`,
  },
  {
    name: 'rows',
    bucket: 'timestamp',
    sql: `select ts as b, amount as n, amount as total, 1 as kinds, amount as least, kind as greatest from events
      where ts >= timestamp_sub(current_timestamp(), interval 2 day) and @zone is not null order by ts desc, amount, kind`,
  },
  {
    name: 'recentdays',
    bucket: 'date',
    sql: `with days as (select d from unnest(generate_date_array(
        date_sub(current_date(), interval 6 day), current_date())) as d),
      s as (select date(ts) as d, amount, kind, ts > timestamp_sub(current_timestamp(), interval 2 hour) as recent
        from events)
      select days.d as b, countif(s.recent) as n, sum(amount) as total, count(distinct kind) as kinds,
        min(amount) as least, max(kind) as greatest
      from s right join days on s.d = days.d where @zone is not null group by b order by b`,
  },
  {
    name: 'recentofboth',
    bucket: 'timestamp',
    sql: `with e as (select timestamp_trunc(ts, day) as b, ts > timestamp_sub(current_timestamp(), interval 2 hour)
        as recent, amount, kind from events),
      v as (select timestamp_trunc(ts, day) as b, logical_or(ts > timestamp_sub(current_timestamp(), interval 2 hour))
        as recent from visits group by b)
      select b, countif(e.recent != v.recent) as n, sum(amount) as total, count(distinct kind) as kinds,
        min(amount) as least, max(kind) as greatest
      from e join v using (b) where @zone is not null group by b order by b`,
  },
  {
    name: 'chosen',
    bucket: 'timestamp',
    more: { step },
    sql: `select case @step when 'day' then timestamp_trunc(ts, day) when 'hour' then timestamp_trunc(ts, hour)
        else timestamp_trunc(ts, minute) end as b, ${aggregates} from events
      where ts >= case @step when 'day' then timestamp_sub(current_timestamp(), interval 6 day)
        when 'hour' then timestamp_trunc(timestamp_sub(current_timestamp(), interval 1 day), hour)
        else timestamp_sub(current_timestamp(), interval 1 hour) end and @zone is not null group by b order by b`,
  },
];

const queryOf = ({ name, bucket, sql, more = {} }: Form): SavedQuery =>
  draftQuery({
    name,
    columns: { b: bucket, ...columns },
    parameters: { zone, ...more },
    caching: ['caching: 900s', 'cache_warming: 300s', 'incremental: true', 'late: 10m', 'reconcile: 6h'],
    maxRows: 100_000,
    sql,
  });

const zones = ['UTC', 'Europe/Zurich', 'America/Sao_Paulo', 'Australia/Lord_Howe', 'Asia/Kolkata'];

/** Around changes of clocks; in Sao Paulo they were at midnight. */
const moments = [
  ...['2026-03-29T00:55:00Z', '2026-10-25T00:40:00Z', '2018-11-04T02:50:00Z', '2019-02-17T01:45:00Z'],
  ...['2026-04-04T14:50:00Z', '2026-10-03T15:20:00Z', '2026-01-01T00:10:00Z', '2026-06-15T12:00:00Z'],
].map((text) => Date.parse(text) * 1000);

const steps = [60e6, 300e6, 300e6, 900e6, hour, 5 * hour, day, 3 * day];

let app: Awaited<ReturnType<typeof openHistoryApp>>;
let changes: TableChanges;
const queries = forms.map(queryOf);

beforeAll(async () => {
  app = await openHistoryApp(queries, () => changes);
});

afterAll(() => app.close());

/** What DuckDB's import knows: which rows have come or gone since a version of the tables. */
interface Version {
  readonly ranges: readonly TimeRange[];
}

/** Runs a history, and compares each result with a run over all. @returns what was different */
async function runHistory(seed: number, isExact: boolean): Promise<string | undefined> {
  const random = openRandom(seed);
  const of = <T>(items: readonly T[]): T => items[random.below(items.length)] as T;
  const query = of(queries);
  let parameters: BoundQuery['parameters'] = {
    zone: of(zones),
    step: of(['day', 'hour', 'minute']),
  };
  let now = of(moments) + (random.below((8 * day) / 1e6) - (2 * day) / 1e6) * 1e6;
  await app.clear();
  const versions: Version[] = [];
  /** By parameters, with the newest last: a gateway may only have read an older one. */
  const published = new Map<string, Rows[]>();
  const count = 3 + random.below(5);
  for (let at = 0; at < count; at += 1) {
    const rows = Array.from({ length: random.below(8) }, (): TestRow => {
      const age = isExact ? of([300e6, hour, day, 8 * day, 40 * day, -hour]) : of([300e6, 590e6, -hour]);
      return {
        table: of(['events', 'events', 'visits']),
        at: Math.max(now - random.below(age), 0),
        kind: of(['a', 'b', 'c']),
        amount: random.below(100),
      };
    });
    const ranges = rows.map(({ at: time }) => ({
      from: Math.floor(time / hour) * hour,
      until: (Math.floor(time / hour) + 1) * hour,
    }));
    await app.insert(rows);
    if (isExact && random.percent(15)) {
      const from = Math.floor(now / hour - random.below(60)) * hour;
      await app.removeAt('events', from, from + hour);
      ranges.push({ from, until: from + hour });
    }
    versions.push({ ranges });
    app.setNow(now);
    if (random.percent(10)) parameters = { ...parameters, zone: of(zones) };
    if (random.percent(15)) app.restart();
    const bound: BoundQuery = { query, parameters };
    const key = JSON.stringify(parameters);
    const known = published.get(key) ?? [];
    const before = random.percent(10) ? known.at(-2) : random.percent(5) ? undefined : known.at(-1);
    const since =
      before?.state === undefined ? undefined : (JSON.parse(before.state) as { tables: string }).tables;
    const isLost = random.percent(5);
    const later = versions.slice(Number(since ?? 0)).flatMap((version) => version.ranges);
    changes = {
      state: String(versions.length),
      changed: isLost ? undefined : isExact ? later : later.length === 0 ? [] : 'late',
      ...(isExact && { knowsLate: true }),
    };
    const refreshed = await app.refresh(bound, before);
    const full = await app.full(bound);
    const [got, wanted] = [refreshed.rows, full.rows].map((all) => all.join('\n'));
    if (got !== wanted)
      return `seed ${seed}, step ${at}, ${query.name}, ${key}, now ${new Date(now / 1000).toISOString()}:\n${got}\nin place of\n${wanted}`;
    published.set(key, [...known, refreshed]);
    now += of(steps) + random.below(1000) * 1000;
  }
  return undefined;
}

/** Each night has another one, which a failure names. */
const ofDay = isNightly ? new Date().toISOString().slice(0, 10).replaceAll('-', '') : '20261128';
const seed = Number(process.env.HISTORY_SEED ?? ofDay);
const histories = Number(process.env.HISTORIES ?? (isNightly ? 5_000 : 48));

describe.each([
  ['where the engine knows which hours have changed', true],
  ['where it knows only that tables have changed', false],
])('a result made of the one before, %s,', (_, isExact) => {
  test(`equals a run over all, in ${histories} random histories`, async () => {
    const different: string[] = [];
    for (let at = 0; at < histories && different.length < 3; at += 1) {
      const found = await runHistory(seed + at, isExact);
      if (found !== undefined) different.push(found);
    }
    expect(different).toEqual([]);
  }, 3_600_000);
});

test('each form of chart is narrowed', () => {
  const never = forms.filter(({ name }) => app.counted(name, 'increment') === 0);
  expect(never.map(({ name }) => name)).toEqual([]);
  expect(app.counted('chosen', 'unchanged') + app.counted('wholewindow', 'unchanged')).toBeGreaterThan(0);
});
