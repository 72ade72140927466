import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { escapes } from './escapes.ts';
import { canary, openWorld, type World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld({ others: true });
});
afterAll(() => world.close());

describe('SQL that reads beside the common tables is refused, with the place', () => {
  test('there are 60 of them at least', () => {
    expect(new Set(escapes.map(([sql]) => sql)).size).toBeGreaterThanOrEqual(60);
  });

  test.each(escapes)('in %s', async (sql, place, reason) => {
    const outcome = await world.run(sql);
    const [line, column] = place.split(':');
    expect(outcome).toContain(`INVALID_PARAMETER sql: line ${line}, column ${column}: `);
    expect(outcome).toContain(reason);
    expect(outcome).not.toContain(canary);
  });
});

describe('SQL over the common tables runs', () => {
  test.each([
    ['select count(*) as n from logs', '[{"n":4}]'],
    ['SELECT COUNT(*) AS n FROM `logs`', '[{"n":4}]'],
    ['select count(*) as n from LOGS as l where @tenant = "mine"', '[{"n":4}]'],
    ['select count(*) as n from logs l cross join unnest(l.metadata) m', '[{"n":2}]'],
    [
      'select r.path from logs l, l.metadata m, m.request r order by 1',
      '[{"path":"/auth"},{"path":"/rest"}]',
    ],
    [
      'select m.level from logs l left join l.metadata m with offset where m.level is not null order by 1',
      '[{"level":"error"},{"level":"info"}]',
    ],
    ['with a as (select id from logs), b as (select * from a) select max(id) as n from b', '[{"n":4}]'],
    [
      '(select id from logs where id = 1) union all select id from events where id = 2 order by id',
      '[{"id":1},{"id":2}]',
    ],
    ["select r'\\' as x, secret from vault --' as x", `[{"x":"\\\\' as x, secret from vault --"}]`],
    ['select (select count(*) from events) as n; -- a comment', '[{"n":3}]'],
    [
      'select id, 9007199254740993 as big, [1, null] as a from logs where id = 1',
      '[{"id":1,"big":"9007199254740993","a":[1,null]}]',
    ],
    [
      "select json_value(to_json_string(p), '$.tier') as t from projects p order by t limit 1",
      '[{"t":"FREE"}]',
    ],
  ])('and %s gives %s', async (sql, expected) => {
    expect(await world.run(sql)).toBe(expected);
  });

  test('a failure at run time quotes no value', async () => {
    expect(await world.run('select cast(project as int64) as n from logs')).toMatch(
      /^INVALID_PARAMETER sql: failed when it ran/,
    );
    expect(await world.run('select error(project) as n from logs')).not.toContain(': a');
  });
});

/** Filters that fail for rows of other tenants, or take them into account: their outcome must not depend on those rows. */
describe('what a filter does to rows of another tenant cannot be observed', () => {
  test.each([
    `select count(*) as n from logs where if(project like '%${canary}%', error('x'), true)`,
    `select count(*) as n from logs where 1 / if(project like '${canary}%', 0, 1) = 1`,
    `select count(*) as n from logs where cast(if(starts_with(project, '${canary}'), 'x', '1') as int64) = 1`,
    `select count(*) as n from logs where id < 1000 or cast(project as int64) = 1`,
    `select count(*) as n from logs l, unnest(l.tags) t where if(t like '${canary}%', error('x'), true)`,
    `select count(*) as n from events e where if(e.detail.kind like '${canary}%', error('x'), true)`,
    `select max(if(project like '${canary}%', error('x'), 1)) as n from logs`,
    `select count(*) as n from logs a join logs b on if(b.project like '${canary}%', error('x'), a.id = b.id)`,
    `select id from logs order by if(project like '${canary}%', error('x'), id) limit 1`,
    `select row_number() over (order by id) as n from logs where id = 4`,
    `select parse_date('%Y', if(project like '${canary}%', 'x', '2020')) as d from logs limit 1`,
  ])('in the outcome of %s', async (sql) => {
    expect(await world.run(sql)).toMatch(/^\[/);
  });
});

/** DuckDB can't be interrupted while it plans: what takes it long is refused before. */
describe('calls inside each other', () => {
  const nested = (times: number, call: (inner: string) => string, innermost: string): string =>
    times === 0 ? innermost : call(nested(times - 1, call, innermost));

  test.each<[string, number, (inner: string) => string, string]>([
    ['signs', 66, (x) => `-(${x})`, 'id'],
    ['signs of a NUMERIC', 66, (x) => `-(${x})`, "NUMERIC '1'"],
    ['sums', 130, (x) => `(${x} + 1)`, '1.5'],
    ['texts', 190, (x) => `(${x} || ${'id'})`, "'a'"],
    ['calls with two values', 60, (x) => `safe_add(${x}, ${'id'})`, 'id'],
    ['structs', 190, (x) => `struct(${x} as a)`, 'id'],
    ['arrays', 190, (x) => `[${x}][offset(0)]`, 'id'],
    ['times', 60, (x) => `timestamp_add(${x}, interval 1 day)`, 'timestamp'],
  ])('in the time of %s', async (_, times, call, innermost) => {
    const before = process.cpuUsage();
    const outcome = await world.run(`select ${nested(times, call, innermost)} as r from logs`);
    const { user, system } = process.cpuUsage(before);
    expect(outcome).toMatch(/^\[|^INVALID_PARAMETER sql: line 1, column \d+: .*inside each other/);
    expect(user + system).toBeLessThan(3_000_000);
    expect(await world.run(`select ${nested(4, call, innermost)} as r from logs where id = 1`)).toMatch(
      /^\[/,
    );
  });

  test('of a chain of texts', async () => {
    const before = process.cpuUsage();
    const chain = Array.from({ length: 350 }, (_, at) => `'${at % 10}'`).join(' || ');
    expect(await world.run(`select length(${chain} || project) as n from logs where id = 1`)).toBe(
      '[{"n":351}]',
    );
    const { user, system } = process.cpuUsage(before);
    expect(user + system).toBeLessThan(1_000_000);
  });
});
