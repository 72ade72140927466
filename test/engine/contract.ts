import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bind } from '../../src/catalog/binding/bind.ts';
import type { SavedQuery } from '../../src/catalog/model/saved-query.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { type Draft, draftQuery } from '../support/queries.ts';

const required = (type: string) => `{ type: ${type}, required: true, description: Never null. }`;
const repeated = (type: string) => `{ type: ${type}, repeated: true, description: Many. }`;
const text = '{ type: string, required: true, description: Text. }';

const digits = 'digits as (select x from unnest([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]) as x)';
const numbers = (count: number) => `
  with ${digits}
  select a.x * 1000 + b.x * 100 + c.x * 10 + d.x + 1 as x
  from digits as a cross join digits as b cross join digits as c cross join digits as d
  where a.x * 1000 + b.x * 100 + c.x * 10 + d.x < ${count}
  order by x`;
const endless = `
  with ${digits}
  select count(*) as x
  from ${Array.from('abcdefghijkl', (name) => `digits as ${name}`).join(' cross join ')}
  where mod(a.x * b.x + c.x * d.x + e.x * f.x + g.x * h.x + i.x * j.x + k.x * l.x, 7) = 3`;

const drafts = {
  types: {
    columns: {
      text: 'string',
      whole: 'integer',
      least: 'integer',
      part: 'float',
      exact: 'numeric',
      yes: 'boolean',
      moment: 'timestamp',
      ancient: 'timestamp',
      local: 'datetime',
      day: 'date',
      clock: 'time',
      raw: 'bytes',
      nested: 'record',
      list: repeated('integer'),
      records: repeated('record'),
    },
    sql: `
      select
        'a "quoted" \\\\ ü 👍' as text,
        9007199254740991 as whole,
        -9007199254740991 as least,
        0.1 as part,
        numeric '100.50' as exact,
        true as yes,
        timestamp '2026-03-10 12:34:56.789012+00' as moment,
        timestamp '0001-01-01 00:00:00+00' as ancient,
        datetime '2026-03-10 12:34:56' as local,
        date '2026-03-10' as day,
        time '12:34:56' as clock,
        b'abc' as raw,
        struct(1 as a, timestamp '1970-01-01 00:00:01+00' as t) as nested,
        [1, 2] as list,
        [struct('x' as name, [timestamp '1970-01-01 00:00:01+00'] as moments)] as records`,
  },
  nulls: {
    columns: { here: 'integer', absent: 'string', list: repeated('integer') },
    sql: 'select 1 as here, cast(null as string) as absent, case when false then [1] end as list',
  },
  infinite: { columns: { x: 'float' }, sql: 'select ieee_divide(1, 0) as x' },
  inner: {
    columns: { json: 'json', record: 'record', later: 'datetime', tick: 'time' },
    sql: `
      select
        json '{"a":[1,null]}' as json,
        struct(1 as here, cast(null as int64) as absent) as record,
        datetime '2026-03-10 12:34:56.500000' as later,
        time '12:34:56.500000' as tick`,
  },
  cut: { columns: { x: 'integer' }, maxRows: 10, sql: numbers(11) },
  full: { columns: { x: 'integer' }, maxRows: 10, sql: numbers(10) },
  ordered: { columns: { x: 'integer' }, maxRows: 5000, sql: `${numbers(5000)} desc` },
  none: { columns: { x: 'integer' }, sql: 'select 1 as x from unnest([1]) as y where y > 1' },
  echo: { columns: { said: 'string' }, parameters: { word: text }, sql: 'select @word as said' },
  whole: { columns: { x: 'integer' }, parameters: { word: text }, sql: 'select cast(@word as int64) as x' },
  unsafe: { columns: { x: 'integer' }, sql: 'select 9007199254740992 as x' },
  missing: { columns: { x: required('integer') }, sql: 'select cast(null as int64) as x' },
  broken: { columns: { x: 'float' }, sql: 'select 1 / y as x from unnest([0]) as y' },
  now: {
    columns: { x: 'boolean' },
    sql: "select current_timestamp() > timestamp '2026-01-01 00:00:00+00' as x",
  },
  endless: { columns: { x: 'integer' }, sql: endless },
} satisfies Record<string, Draft>;

export interface ContractOptions {
  /** Opens an engine whose deadline is a few seconds at most. */
  open(queries: readonly SavedQuery[]): Promise<Engine>;
}

/** The tests that every engine must pass. */
export function engineContract(name: string, { open }: ContractOptions): void {
  describe(`engine contract: ${name}`, () => {
    const queries = new Map(
      Object.entries(drafts).map(([key, draft]) => [key, draftQuery({ name: key, ...draft })]),
    );
    let engine: Engine;
    beforeAll(async () => {
      engine = await open([...queries.values()]);
    });
    afterAll(() => engine.close());

    const run = (key: keyof typeof drafts, parameters: Record<string, string> = {}, signal?: AbortSignal) => {
      const query = queries.get(key);
      if (query === undefined) throw new Error(key);
      const raw = new Map(Object.entries(parameters).map(([name, value]) => [name, [value]]));
      return engine.run(bind(query, raw), { signal: signal ?? new AbortController().signal });
    };
    const rows = async (key: keyof typeof drafts, parameters: Record<string, string> = {}) =>
      (await run(key, parameters)).rows.map((row) => JSON.parse(row) as Record<string, unknown>);

    test('every column type has its documented JSON form', async () => {
      expect(await rows('types')).toEqual([
        {
          text: 'a "quoted" \\ ü 👍',
          whole: 9007199254740991,
          least: -9007199254740991,
          part: 0.1,
          exact: '100.5',
          yes: true,
          moment: 1773146096789012,
          ancient: -62135596800000000,
          local: '2026-03-10T12:34:56',
          day: '2026-03-10',
          clock: '12:34:56',
          raw: 'YWJj',
          nested: { a: 1, t: 1000000 },
          list: [1, 2],
          records: [{ name: 'x', moments: [1000000] }],
        },
      ]);
    });

    test('a NULL column is left out, a NULL array is empty, an infinite float is left out', async () => {
      expect(await rows('nulls')).toEqual([{ here: 1, list: [] }]);
      expect(await rows('infinite')).toEqual([{}]);
    });

    test('inside a record NULL is null, JSON is JSON, fractions have no trailing zeros', async () => {
      expect(await rows('inner')).toEqual([
        {
          json: { a: [1, null] },
          record: { here: 1, absent: null },
          later: '2026-03-10T12:34:56.5',
          tick: '12:34:56.5',
        },
      ]);
    });

    test('rows beyond max rows are left out, and the result is marked as truncated', async () => {
      const { rows, truncated } = await run('cut');
      expect([rows.length, truncated]).toEqual([10, true]);
      expect(await run('full')).toMatchObject({ truncated: false });
      const none = await run('none');
      expect({ rows: none.rows, truncated: none.truncated }).toEqual({ rows: [], truncated: false });
    });

    test('rows come in the order of the SQL', async () => {
      expect((await rows('ordered')).map(({ x }) => x)).toEqual(
        Array.from({ length: 5000 }, (_, at) => 5000 - at),
      );
    });

    test.each(["'; select 1; --", '@word', '$1', 'ü 👍', '\\', '%'])(
      'the value %j is bound, not inserted into the SQL',
      async (word) => {
        expect(await rows('echo', { word })).toEqual([{ said: word }]);
      },
    );

    test('a value that the SQL cannot cast is an INVALID_PARAMETER with its name', async () => {
      expect(await rows('whole', { word: '12' })).toEqual([{ x: 12 }]);
      await expect(run('whole', { word: 'twelve' })).rejects.toMatchObject({
        code: 'INVALID_PARAMETER',
        parameter: 'word',
      });
    });

    test.each(['unsafe', 'missing', 'broken'] as const)('%s fails without showing SQL', async (key) => {
      const failure = await run(key).catch((error: unknown) => error);
      expect(failure).toMatchObject({ code: 'ENGINE_FAILED' });
      expect(String(failure)).not.toMatch(/select|unnest|cast/i);
    });

    test('CURRENT_TIMESTAMP is the current time', async () => {
      expect(await rows('now')).toEqual([{ x: true }]);
    });

    test('a query beyond its deadline ends as ENGINE_TIMEOUT, and the engine keeps working', async () => {
      await expect(run('endless')).rejects.toMatchObject({ code: 'ENGINE_TIMEOUT' });
      expect(await rows('echo', { word: 'still here' })).toEqual([{ said: 'still here' }]);
    });

    test('a query whose caller has disconnected ends as CANCELLED, running or queued', async () => {
      const caller = new AbortController();
      const errors = Array.from({ length: 8 }, () =>
        run('endless', {}, caller.signal).catch((error: unknown) => error),
      );
      setTimeout(() => caller.abort(), 50);
      for (const error of await Promise.all(errors)) expect(error).toMatchObject({ code: 'CANCELLED' });
      await expect(run('echo', { word: 'late' }, AbortSignal.abort())).rejects.toMatchObject({
        code: 'CANCELLED',
      });
      expect(await rows('echo', { word: 'still here' })).toEqual([{ said: 'still here' }]);
    });

    test('concurrent queries all get their own results', async () => {
      const words = Array.from({ length: 50 }, (_, at) => `word ${at}`);
      const said = await Promise.all(words.map((word) => rows('echo', { word })));
      expect(said.map(([row]) => row?.said)).toEqual(words);
    });

    test('closing stops running and queued queries, and may be called twice', async () => {
      const other = await open([...queries.values()]);
      const query = queries.get('endless');
      if (query === undefined) throw new Error('endless');
      const errors = Array.from({ length: 4 }, () =>
        other
          .run(bind(query, new Map()), { signal: new AbortController().signal })
          .catch((error: unknown) => error),
      );
      await Promise.all([other.close(), other.close()]);
      for (const error of await Promise.all(errors)) expect(error).toMatchObject({ code: 'CANCELLED' });
    });
  });
}
