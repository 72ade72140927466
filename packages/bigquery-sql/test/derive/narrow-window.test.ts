import { describe, expect, test } from 'vitest';
import { NotDerivable } from '../../src/derive/edit-text.ts';
import { planIncrement } from '../../src/derive/increment.ts';
import { narrowWindow } from '../../src/derive/narrow-window.ts';
import { type TableSchema, timeColumn } from '../../src/table-schema.ts';
import { compileTree, schemaTables } from '../../src/tree.ts';

const fields = [
  { name: 'ts', type: 'TIMESTAMP', mode: 'REQUIRED' },
  { name: 'kind', type: 'STRING', mode: 'NULLABLE' },
] as const;

const tables: readonly TableSchema[] = [
  { name: 'logs', fields },
  { name: 'visits', fields },
  { name: 'people', fields: [{ name: 'kind', type: 'STRING', mode: 'NULLABLE' }] },
];

function narrow(sql: string) {
  const { query } = compileTree({ sql, source: { file: 'a.sql', line: 1 } }, schemaTables(tables));
  const timeOf = (name: string) => {
    const table = tables.find((one) => one.name === name);
    return table && timeColumn(table);
  };
  return narrowWindow({ sql, query, timeOf });
}

/** The reason, and the text at its place. */
function refusal(sql: string): readonly [message: string, at: string] {
  try {
    narrow(sql);
  } catch (error) {
    if (error instanceof NotDerivable)
      return [error.message, error.start === undefined ? '' : sql.slice(error.start, error.start + 12)];
    throw error;
  }
  return ['', ''];
}

const week = 'where ts >= timestamp_sub(current_timestamp(), interval 7 day)';
const byDay = `select timestamp_trunc(ts, day) as b, count(*) as n from logs ${week} group by b`;

describe('a narrowed query', () => {
  test('reads each table before one moment and from another one, and takes the current time for a value', () => {
    const { sql, tables: narrowed, bucket } = narrow(`${byDay} order by b desc`);
    expect(sql).toBe(
      'select timestamp_trunc(ts, day) as b, count(*) as n from logs where ' +
        '(`logs`.`ts` >= @window_from OR `logs`.`ts` < @window_until) AND ' +
        '(ts >= timestamp_sub(@window_now, interval 7 day)) group by b order by b desc',
    );
    expect(narrowed).toEqual([{ name: 'logs', time: 'ts' }]);
    expect(bucket).toMatchObject({ column: 'b', descending: true });
  });

  test.each([
    `with days as (select d from unnest(generate_date_array(date_sub(current_date(), interval 6 day), current_date())) as d),
      s as (select date(ts) as d, kind, current_date() as today from logs)
      select days.d as b, count(s.kind) as n from days left join s using (d) group by b order by b`,
    `with p as (select date_sub(current_date(), interval 6 day) as since),
      s as (select date(ts) as d from logs cross join p where date(ts) >= p.since),
      v as (select date(ts) as d, p.since from visits cross join p where date(ts) >= p.since)
      select s.d as b, count(*) as n from s left join v on s.d = v.d group by b order by b`,
  ])('is made beside a clock that a join may leave out, and that nothing reads: %s', (sql) => {
    expect(refusal(sql)).toEqual(['', '']);
  });

  test('has the conditions in a subquery where a table has no WHERE of its own', () => {
    const { sql } =
      narrow(`with d as (select d from unnest(generate_date_array(date_sub(current_date('Asia/Tokyo'), interval 6 day),
      current_date('Asia/Tokyo'))) as d) select d.d as b, count(l.kind) as n from d
      left join logs as l on date(l.ts, 'Asia/Tokyo') = d.d group by b order by b`);
    expect(sql).toContain(
      'left join (SELECT * FROM logs AS `l` WHERE (`l`.`ts` >= @window_from OR `l`.`ts` < @window_until)) as l on',
    );
    expect(sql).toContain("date_sub(DATE(@window_now, 'Asia/Tokyo'), interval 6 day)");
  });

  test('may compare its buckets with the clock in HAVING', () => {
    const { edges } = narrow(
      'select timestamp_trunc(ts, day) as b, count(*) as n from logs group by b having b > timestamp_sub(current_timestamp(), interval 7 day) order by b',
    );
    expect(edges.map(({ operator }) => operator)).toEqual(['>']);
  });

  const flagged =
    'select timestamp_trunc(ts, day) as b, ts > timestamp_sub(current_timestamp(), interval 2 hour) as recent from';
  test.each([
    'join (select timestamp_trunc(ts, day) as b from visits) as v on v.b = l.b',
    'right join (select timestamp_trunc(ts, day) as b from visits) as v on v.b = l.b',
  ])('depends on a comparison in a subquery: %s', (joined) => {
    const of = joined.startsWith('right') ? 'v' : 'l';
    const { edges } = narrow(
      `select ${of}.b as b, countif(l.recent) as n from (${flagged} logs) as l ${joined} group by b order by b`,
    );
    expect(edges.map(({ operator }) => operator)).toEqual(['>']);
  });

  test('depends on a comparison in ON of an array', () => {
    const { edges } = narrow(
      `select l.b as b, count(x) as n from (${flagged} logs) as l left join unnest([1, 2]) as x on l.recent and x = 1 group by b order by b`,
    );
    expect(edges.map(({ operator }) => operator)).toEqual(['>']);
  });

  test('has parameters whose names are free', () => {
    const { parameters } = narrow(`${byDay.replace('count(*) as n', 'count(*) as window_from')} order by b`);
    expect(parameters).toEqual({ from: 'window_from_', until: 'window_until', now: 'window_now' });
  });
});

describe('a query is not narrowed', () => {
  const bucket = 'timestamp_trunc(ts, day) as b';
  const clock = 'the current time is used otherwise than in a comparison with the time of a row';
  const together = 'rows of several buckets are put together: no bucket of time is in GROUP BY';
  const axis =
    'an array that depends on the current time is not joined by equality with a bucket, or is not of whole buckets';
  const unordered = 'its ORDER BY does not begin with a column that is a bucket of time';

  const hours =
    'unnest(generate_timestamp_array(timestamp_trunc(timestamp_sub(current_timestamp(), interval 4 hour), hour), current_timestamp(), interval 1 hour)) as b';
  const ofHour = 'timestamp_trunc(l.ts, hour) = b';
  const byClock = "if(current_timestamp() > '2026-01-01', x, 'z')";

  test.each<readonly [title: string, sql: string, message: string, at: string]>([
    ['with LIMIT', `${byDay} order by b limit 3`, 'LIMIT chooses among the rows of all buckets', 'limit 3'],
    [
      'with LIMIT below the top',
      `select * from (${byDay} order by b limit 3) order by b`,
      'LIMIT chooses among the rows of all buckets',
      'limit 3) ord',
    ],
    [
      'with a window',
      `select b, n, sum(n) over (order by b) as s from (${byDay}) order by b`,
      'a window function sees the rows of several buckets',
      'sum(n) over ',
    ],
    [
      'with QUALIFY',
      `select b, n from (${byDay}) where true qualify row_number() over (order by n) < 3 order by b`,
      'a window function sees the rows of several buckets',
      'row_number()',
    ],
    ['without a bucket', `select count(*) as n from logs ${week}`, together, 'logs where t'],
    [
      'with totals',
      `select ${bucket}, kind, count(*) as n from logs ${week} group by rollup(b, kind) order by b`,
      together,
      'logs where t',
    ],
    [
      'grouped by something else first',
      `select b, max(n) as n from (select kind, min(ts) as b, count(*) as n from logs ${week} group by kind) group by b order by b`,
      together,
      'logs where t',
    ],
    [
      'with a total beside it',
      `select a.b, a.n, c.n as m from (${byDay}) as a cross join (select count(*) as n from visits ${week}) as c order by b`,
      together,
      'visits where',
    ],
    ['without an order', byDay, unordered, ''],
    ['in another order', `${byDay} order by n, b`, unordered, 'n, b'],
    [
      'with the clock in a column',
      `select ${bucket}, current_timestamp() as now from logs ${week} group by b order by b`,
      clock,
      'current_time',
    ],
    [
      'with the clock in an aggregate',
      `select ${bucket}, sum(timestamp_diff(current_timestamp(), ts, day)) as age from logs ${week} group by b order by b`,
      clock,
      'current_time',
    ],
    [
      'with a random value',
      `select ${bucket}, rand() as r from logs ${week} order by b`,
      'a random value would be another one in each run',
      'rand() as r ',
    ],
    [
      'with buckets that are texts',
      `select format_timestamp('%F', ts) as b, count(*) as n from logs ${week} group by b order by b`,
      'the buckets of the column b are not made by a function that is understood',
      '',
    ],
    [
      'over a table without a time',
      `select ${bucket}, count(*) as n from logs join people using (kind) ${week} group by b order by b`,
      'the table people has no TIMESTAMP that every row has (mode REQUIRED)',
      'people using',
    ],
    [
      'joined by something else',
      `select a.b, count(*) as n from (select ${bucket}, kind from logs ${week}) as a join (select kind from visits ${week}) as c using (kind) group by b order by b`,
      together,
      'logs where t',
    ],
    [
      'that is semi-joined',
      `select ${bucket}, count(*) as n from logs ${week} and kind in (select kind from visits) group by b order by b`,
      'a subquery in an expression reads a table without regard to the bucket',
      'visits) grou',
    ],
    [
      'with a subquery in ON',
      `select ${bucket}, count(*) as n from logs join unnest([1]) as one on length(kind) > (select avg(length(kind)) from visits) ${week} group by b order by b`,
      'a subquery in an expression reads a table without regard to the bucket',
      'visits) wher',
    ],
    [
      'with a subquery in ON of an item within parentheses',
      `select ${bucket}, count(*) as n from unnest([1]) as one join (logs join unnest([2]) as two on exists (select 1 from visits)) on true ${week} group by b order by b`,
      'a subquery in an expression reads a table without regard to the bucket',
      'visits)) on ',
    ],
    [
      'with an array of a subquery',
      `select ${bucket}, k, count(*) as n from logs, unnest((select array_agg(distinct kind) from visits)) as k ${week} group by b, k order by b`,
      'a subquery in an expression reads a table without regard to the bucket',
      'visits)) as ',
    ],
    [
      'with an array of a subquery on the side that may be missing',
      `select ${bucket}, k, count(*) as n from logs left join unnest(array(select kind from visits)) as k on k > kind ${week} group by b, k order by b`,
      'a subquery in an expression reads a table without regard to the bucket',
      'visits)) as ',
    ],
    [
      'with a window in its order',
      `select ${bucket}, kind, count(*) as n from logs ${week} group by b, kind order by b, sum(count(*)) over (partition by kind) desc`,
      'a window function sees the rows of several buckets',
      'sum(count(*)',
    ],
    [
      'with moving buckets',
      `with g as (select b from unnest(generate_timestamp_array(timestamp_sub(current_timestamp(), interval 7 day), current_timestamp(), interval 1 day)) as b) select g.b as b, count(*) as n from g join logs on timestamp_trunc(ts, day) = g.b group by b order by b`,
      axis,
      'generate_tim',
    ],
    [
      'with ranges as buckets',
      `with g as (select b from unnest(generate_date_array(date_sub(current_date(), interval 7 day), current_date())) as b) select g.b as b, count(*) as n from g join logs on date(ts) >= g.b group by b order by b`,
      axis,
      'generate_dat',
    ],
    [
      'with the places of the buckets',
      `select b, o, count(l.kind) as n from ${hours} with offset as o left join logs as l on ${ofHour} group by b, o order by b`,
      'WITH OFFSET counts from the beginning of an array that depends on the current time',
      'unnest(gener',
    ],
    [
      'with a place of a bucket in ON',
      `select b, count(l.kind) as n from ${hours} with offset as o left join logs as l on ${ofHour} and mod(o, 2) = 0 group by b order by b`,
      'WITH OFFSET counts from the beginning of an array that depends on the current time',
      'unnest(gener',
    ],
    ...['lead(b) over (order by b)', 'row_number() over (order by b)'].map(
      (value) =>
        [
          `with ${value} of the buckets`,
          `with g as (select b, ${value} as v from ${hours}) select b, v, count(l.kind) as n from g left join logs as l on ${ofHour} group by b, v order by b`,
          'a window function sees the rows of several buckets',
          value.slice(0, 10),
        ] as const,
    ),
    [
      'with buckets that QUALIFY chooses',
      `with g as (select b from ${hours} qualify mod(row_number() over (order by b), 2) = 0) select b, count(l.kind) as n from g left join logs as l on ${ofHour} group by b order by b`,
      'a window function sees the rows of several buckets',
      'row_number()',
    ],
    ...[
      `select x from unnest(['a', 'b']) as x qualify row_number() over (order by ${byClock}) = 1`,
      `select x from unnest(['a', 'b']) as x order by ${byClock} limit 1`,
      `select max(x) as x from unnest(['a', 'b']) as x group by ${byClock}`,
      `select max(x) as x from unnest(['a', 'b']) as x group by rollup(${byClock})`,
    ].map(
      (chosen) =>
        [
          `with rows beside it that the clock chooses: ${chosen}`,
          `with p as (${chosen}) select ${bucket}, any_value(p.x) as x from logs, p group by b order by b`,
          clock,
          'current_time',
        ] as const,
    ),
    ...[
      `logs left join (select current_timestamp() as now) as c on true where ts > timestamp_sub(c.now, interval 2 hour)`,
      `(select current_timestamp() as now) as c right join logs on true where ts > timestamp_sub(c.now, interval 2 hour)`,
      `logs left join ((select 1 as one) as o cross join (select current_timestamp() as now) as c) on true where ts > timestamp_sub(c.now, interval 2 hour)`,
      `logs left join (select d, date_diff(current_date(), d, day) as ago from unnest(generate_date_array(
        date_sub(current_date(), interval 7 day), current_date())) as d) as c on c.d = date(ts) where c.ago > 2`,
      `logs left join (select ts as seen, current_timestamp() as now from visits) as c on timestamp_trunc(seen, day) = timestamp_trunc(ts, day)
        where timestamp_diff(c.now, seen, hour) < 7`,
    ].map(
      (from) =>
        [
          `with the clock on the side of a join that may be missing: ${from}`,
          `select ${bucket}, count(*) as n from ${from} group by b order by b`,
          clock,
          'current_',
        ] as const,
    ),
    [
      'with the clock in an array with a condition',
      `select ${bucket}, count(x) as n from (select ts, current_timestamp() as now from logs)
        left join unnest([timestamp_diff(now, ts, hour)]) as x on x > 3 group by b order by b`,
      axis,
      '',
    ],
    [
      'sampled',
      `select ${bucket}, count(*) as n from logs tablesample system (10 percent) ${week} group by b order by b`,
      'TABLESAMPLE chooses other rows in each run',
      'logs tablesa',
    ],
  ])('%s', (_, sql, message, at) => {
    const [reason, place] = refusal(sql);
    expect(reason).toBe(message);
    expect(place.startsWith(at) && (at !== '' || place === '')).toBe(true);
  });
});

describe('an increment', () => {
  const at = (text: string) => Date.parse(text) * 1000;
  const now = at('2026-03-10T12:30:00Z');
  const before = at('2026-03-10T12:25:00Z');
  const textOf = () => undefined;
  const days = Array.from({ length: 8 }, (_, day) =>
    at(`2026-03-0${day + 3}T00:00:00Z`.replace('010', '10')),
  );
  const recent = [{ from: at('2026-03-10T12:15:00Z'), until: Number.POSITIVE_INFINITY }];
  const plan = (sql: string, changed = recent, buckets = days) =>
    planIncrement(narrow(sql), { textOf, before, now, changed, buckets });

  test('reads the bucket of now, and the one at the left edge if the edge is within it', () => {
    const increment = plan(`${byDay} order by b`);
    expect(increment).toMatchObject({
      read: { until: at('2026-03-04T00:00:00Z'), from: at('2026-03-10T00:00:00Z') },
    });
    const sides = typeof increment === 'object' ? days.map((bucket) => increment.sideOf(bucket)) : [];
    expect(sides).toEqual(['before', ...Array(6).fill('kept'), 'after']);
  });

  test('reads nothing at a left edge that is the beginning of a bucket', () => {
    const whole = byDay.replace(/timestamp_sub.*day\)/, (text) => `timestamp_trunc(${text}, day)`);
    expect(plan(`${whole} order by b`)).toMatchObject({
      read: { until: Number.NEGATIVE_INFINITY, from: at('2026-03-10T00:00:00Z') },
    });
    expect(plan(`${whole} order by b`, [])).toBe('unchanged');
  });

  test('begins with the oldest changed row, or leaves it to the side of the longer stretch', () => {
    const hour = (text: string) => ({ from: at(text), until: at(text) + 3_600_000_000 });
    const changed = (text: string) => plan(`${byDay} order by b`, [hour(text), ...recent]);
    expect(changed('2026-03-09T03:00:00Z')).toMatchObject({ read: { from: at('2026-03-09T00:00:00Z') } });
    expect(changed('2026-03-04T03:00:00Z')).toMatchObject({
      read: { until: at('2026-03-05T00:00:00Z'), from: at('2026-03-10T00:00:00Z') },
    });
  });

  test('is all if nothing can be kept', () => {
    expect(plan(`${byDay} order by b`, [{ from: 0, until: now }])).toBeUndefined();
    expect(plan(`${byDay} order by b`, recent, [Number.NaN])).toBeUndefined();
    const ofZone = `${byDay.replace('timestamp_trunc(ts, day)', 'date(ts, @zone)')} order by b`;
    const run = { before, now, changed: recent, buckets: days };
    expect(planIncrement(narrow(ofZone), { ...run, textOf: () => 'Asia/Tokyo' })).toBeTypeOf('object');
    expect(planIncrement(narrow(ofZone), { ...run, textOf: () => 'Atlantis/Nowhere' })).toBeUndefined();
  });

  test('is all where a zone skips a day', () => {
    const samoa = `${byDay.replace('timestamp_trunc(ts, day)', "date(ts, 'Pacific/Apia')")} order by b`;
    const at2011 = at('2011-12-31T12:00:00Z');
    const increment = planIncrement(narrow(samoa), {
      textOf,
      before: at2011 - 300_000_000,
      now: at2011,
      changed: [{ from: at2011, until: Number.POSITIVE_INFINITY }],
      buckets: [at('2011-12-29T00:00:00Z'), at('2011-12-31T00:00:00Z')],
    });
    expect(increment).toBeUndefined();
  });
});
