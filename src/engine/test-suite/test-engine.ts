import assert from 'node:assert/strict';
import type { BoundValues } from '../../catalog/binding/bind.ts';
import { LoopTurns } from '../../concurrency/loop-turns.ts';
import type { ErrorCode } from '../../errors.ts';
import type { Engine, RunOptions } from '../engine.ts';
import type { EngineFactory, EngineHost, EngineLimits } from '../engine-factory.ts';
import { type CaseName, cases, queryOf } from './cases.ts';

/** What `testEngine` takes. */
export interface EngineTestOptions {
  /** The `test` of Vitest, of node:test, of Bun or of another framework. */
  readonly test: (title: string, run: () => Promise<void>) => unknown;
  readonly engine: EngineFactory;
  /** Statements for the cases, in SQL of the engine's own; without one, a case runs in BigQuery's SQL. */
  readonly statements?: Readonly<Partial<Record<CaseName, string>>>;
  /** Cases that the engine cannot have, such as `lists`; their tests are left out. */
  readonly omit?: readonly CaseName[];
  /** Of a slow engine. Default: 2 queries at a time, 100 that wait, 2,000 milliseconds. */
  readonly limits?: Partial<EngineLimits>;
}

/**
 * Declares the tests that every engine must pass.
 *
 * @throws Error if an engine with SQL of its own has no statement for a case; the message says what it has to return
 */
export function testEngine({
  test,
  engine: factory,
  statements = {},
  omit = [],
  limits,
}: EngineTestOptions): void {
  const names = (Object.keys(cases) as CaseName[]).filter((name) => !omit.includes(name));
  const without = names.filter((name) => factory.sql === 'native' && statements[name] === undefined);
  if (without.length > 0) {
    const lines = without.map((name) => `  ${name}: ${cases[name].returns}`);
    throw new Error(`statements: add these, or name them in omit:\n${lines.join('\n')}`);
  }
  const queries = new Map(names.map((name) => [name, queryOf(name, statements[name] ?? cases[name].sql)]));
  const now = new Date('2026-03-10T12:34:56.789Z');
  const host: EngineHost = {
    catalog: { queries: [...queries.values()], tables: [] },
    limits: { concurrency: 2, queueLength: 100, timeoutMs: 2000, ...limits },
    now: () => now,
    events: { problem() {}, news() {} },
    turns: new LoopTurns(),
  };
  let opened: Promise<Engine> | undefined;
  const run = async (name: CaseName, parameters: BoundValues = {}, options: Partial<RunOptions> = {}) => {
    opened ??= factory.open(host);
    const query = queries.get(name);
    assert.ok(query, `${name} is omitted`);
    return (await opened).run({ query, parameters }, { signal: new AbortController().signal, ...options });
  };
  const rowsOf = async (name: CaseName, parameters?: BoundValues) =>
    (await run(name, parameters)).rows.map((row) => JSON.parse(row) as Readonly<Record<string, unknown>>);
  const fails = (promise: Promise<unknown>, code: ErrorCode) =>
    assert.rejects(promise, (error: { readonly code?: string } & Error) => {
      assert.equal(error.code, code, `${error.code ?? error}, not ${code}`);
      return true;
    });
  /** Declares a test, unless a case that it needs is omitted. */
  const check = (title: string, needs: readonly CaseName[], body: () => Promise<void>) =>
    needs.some((name) => omit.includes(name)) || test(`${factory.name}: ${title}`, body);

  check('every column type has its documented JSON form', ['types'], async () => {
    assert.deepEqual(await rowsOf('types'), [
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
        later: '2026-03-10T12:34:56.5',
        day: '2026-03-10',
        clock: '12:34:56',
        tick: '12:34:56.5',
        raw: 'YWJj',
      },
    ]);
  });

  check('records, lists and JSON are JSON, and NULL in a record is null', ['nested'], async () => {
    assert.deepEqual(await rowsOf('nested'), [
      {
        json: { a: [1, null] },
        record: { here: 1, absent: null },
        list: [1, 2],
        records: [{ name: 'x', numbers: [1] }],
      },
    ]);
  });

  check(
    'a NULL column is left out, a NULL array is empty, an infinite float is left out',
    ['nulls'],
    async () => {
      assert.deepEqual(await rowsOf('nulls'), [{ here: 1, list: [] }]);
    },
  );

  check(
    'rows beyond max rows are left out, and the result is marked as truncated',
    ['eleven', 'ten'],
    async () => {
      const { rows, truncated } = await run('eleven');
      assert.deepEqual([rows.length, truncated], [10, true]);
      const full = await run('ten');
      assert.deepEqual([full.rows.length, full.truncated], [10, false]);
    },
  );

  check('a result may have no rows', ['none'], async () => {
    const { rows, truncated } = await run('none');
    assert.deepEqual([rows, truncated], [[], false]);
  });

  check('rows come in the order of the SQL', ['ordered'], async () => {
    const xs = (await rowsOf('ordered')).map(({ x }) => x);
    assert.deepEqual(
      xs,
      Array.from({ length: 5000 }, (_, at) => 5000 - at),
    );
  });

  check('a row may be large', ['huge'], async () => {
    const [row] = await rowsOf('huge');
    assert.equal(String(row?.x).length, 1_000_000);
  });

  for (const word of ["'; select 1; --", '@word', '$1', 'ü 👍', '\\', '%', '']) {
    check(`the value ${JSON.stringify(word)} is bound, not inserted into the SQL`, ['echo'], async () => {
      assert.deepEqual(await rowsOf('echo', { word }), [{ said: word }]);
    });
  }

  check('parameters have the types that they are bound as', ['typed'], async () => {
    const parameters = {
      ...{
        text: '1',
        whole: '-12',
        part: '0.5',
        yes: 'true',
        moment: '2026-03-10T12:34:56Z',
        day: '2026-03-10',
      },
    };
    assert.deepEqual(await rowsOf('typed', parameters), [
      { text: '1', whole: -12, part: 0.5, yes: true, moment: 1773146096000000, day: '2026-03-10' },
    ]);
  });

  check('an absent parameter is an empty STRING, and NULL of any other type', ['typed'], async () => {
    const parameters = { text: '', whole: '', part: '', yes: '', moment: '', day: '' };
    assert.deepEqual(await rowsOf('typed', parameters), [{ text: '' }]);
  });

  check('a list is a parameter', ['lists'], async () => {
    assert.deepEqual(await rowsOf('lists', { words: ['b', "'a", ''] }), [{ x: 'b' }, { x: "'a" }, { x: '' }]);
    assert.deepEqual(await rowsOf('lists', { words: [] }), []);
  });

  check(
    'a value that the SQL cannot cast is an INVALID_PARAMETER with its name',
    ['uncastable'],
    async () => {
      assert.deepEqual(await rowsOf('uncastable', { word: '12' }), [{ x: 12 }]);
      await assert.rejects(run('uncastable', { word: 'twelve' }), {
        code: 'INVALID_PARAMETER',
        parameter: 'word',
      });
    },
  );

  for (const name of ['unsafe', 'missing', 'broken'] as const) {
    check(`what fails is ENGINE_FAILED and shows no SQL: ${name}`, [name], async () => {
      const failure: unknown = await run(name).catch((error: unknown) => error);
      assert.equal((failure as { readonly code?: string }).code, 'ENGINE_FAILED', String(failure));
      const sql = queries.get(name)?.sql.trim() ?? '';
      assert.ok(
        !String(failure).includes(sql) && !/select|unnest|cast/i.test(String(failure)),
        String(failure),
      );
    });
  }

  check('the current time is that of the host, or of the engine if it has a clock', ['now'], async () => {
    const [row] = await rowsOf('now');
    const at = Number(row?.x) / 1000;
    if (factory.flags?.hasClock) assert.ok(Math.abs(at - Date.now()) < 3_600_000, String(at));
    else assert.equal(at, now.getTime());
  });

  check(
    'a query beyond its deadline ends as ENGINE_TIMEOUT, and the engine works on',
    ['endless', 'echo'],
    async () => {
      await fails(run('endless'), 'ENGINE_TIMEOUT');
      assert.deepEqual(await rowsOf('echo', { word: 'still here' }), [{ said: 'still here' }]);
    },
  );

  check(
    'a query whose caller has disconnected is CANCELLED, running or waiting',
    ['endless', 'echo'],
    async () => {
      const caller = new AbortController();
      const runs = Array.from({ length: 8 }, () =>
        fails(run('endless', {}, { signal: caller.signal }), 'CANCELLED'),
      );
      setTimeout(() => caller.abort(), 50);
      await Promise.all(runs);
      await fails(run('echo', { word: 'late' }, { signal: AbortSignal.abort() }), 'CANCELLED');
      assert.deepEqual(await rowsOf('echo', { word: 'still here' }), [{ said: 'still here' }]);
    },
  );

  check('concurrent queries all get their own results', ['echo'], async () => {
    const words = Array.from({ length: 50 }, (_, at) => `word ${at}`);
    const said = await Promise.all(words.map((word) => rowsOf('echo', { word })));
    assert.deepEqual(
      said.map(([row]) => row?.said),
      words,
    );
  });

  check('a run says when it has left the queue', ['echo'], async () => {
    let starts = 0;
    await run(
      'echo',
      { word: 'x' },
      {
        onStart: () => {
          starts += 1;
        },
      },
    );
    assert.ok(starts > 0, 'onStart was not called');
  });

  check('rows wait for beforeRows, where the engine calls it', ['echo'], async () => {
    let waits = 0;
    const beforeRows = async () => {
      waits += 1;
      await new Promise((resolve) => setTimeout(resolve, 20));
      waits -= 1;
    };
    const { rows } = await run('echo', { word: 'x' }, { beforeRows });
    assert.deepEqual([rows.length, waits], [1, 0]);
  });

  check(
    'a query that no place is left for is ENGINE_BUSY, and says when to try again',
    ['endless'],
    async () => {
      const small = { ...host.limits, concurrency: 1, queueLength: 1 };
      const engine = await factory.open({ ...host, limits: small });
      const query = queries.get('endless');
      assert.ok(query);
      const caller = new AbortController();
      const runs = Array.from({ length: 4 }, () =>
        engine.run({ query, parameters: {} }, { signal: caller.signal }).then(
          () => undefined,
          (error: { readonly code?: string; readonly retryAfterSeconds?: number }) => error,
        ),
      );
      setTimeout(() => caller.abort(), 100);
      const errors = await Promise.all(runs);
      await engine.close();
      const busy = errors.filter((error) => error?.code === 'ENGINE_BUSY');
      assert.ok(busy.length > 0, errors.map((error) => error?.code).join());
      for (const error of busy)
        assert.ok((error?.retryAfterSeconds ?? 0) > 0, 'retryAfterSeconds is missing');
    },
  );

  check('closing stops running and waiting queries, and may be called twice', ['endless'], async () => {
    const engine = await factory.open(host);
    const query = queries.get('endless');
    assert.ok(query);
    const { signal } = new AbortController();
    const runs = Array.from({ length: 4 }, () =>
      fails(engine.run({ query, parameters: {} }, { signal }), 'CANCELLED'),
    );
    await Promise.all([engine.close(), engine.close()]);
    await Promise.all(runs);
  });

  check('engines over the same data have the same source', [], async () => {
    const engine = await (opened ?? factory.open(host));
    opened = undefined;
    const other = await factory.open(host);
    assert.equal(typeof engine.source, 'string');
    assert.equal(other.source, engine.source);
    await Promise.all([engine.close(), other.close()]);
  });
}
