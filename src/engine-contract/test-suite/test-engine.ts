import assert from 'node:assert/strict';
import { buildAnalyze } from '../../catalog-analysis/analyze-catalog.ts';
import type { BoundValues } from '../../catalog/binding/bind.ts';
import { waitingTimers, within } from '../../concurrency/clock.ts';
import { LoopTurns } from '../../concurrency/loop-turns.ts';
import type { ErrorCode } from '../../errors.ts';
import type { Cost, Engine, Rows, RunOptions } from '../engine.ts';
import type { EngineFactory, EngineHost, EngineLimits } from '../engine-factory.ts';
import { isCount } from '../whole-costs.ts';
import { type CaseName, cases, queryOf } from './cases.ts';

type DeclareTest = (title: string, run: () => Promise<void>) => unknown;

/** The options of `testEngine`. */
export interface EngineTestOptions {
  /** The `test` of Vitest, of node:test, of Bun or of another framework. */
  readonly test: DeclareTest & { readonly skip: DeclareTest };
  readonly engine: EngineFactory;
  /** Statements for the cases, in SQL of the engine's own; without one, a case runs in BigQuery's SQL. */
  readonly statements?: Readonly<Partial<Record<CaseName, string>>>;
  /** Cases that the engine cannot have, such as `lists`: tests that need one of them are skipped. */
  readonly omit?: readonly CaseName[];
  /** Of a slow engine. Default: 2 queries at a time, 100 that wait, a deadline of 2,000 milliseconds. */
  readonly limits?: Partial<EngineLimits>;
}

/**
 * Declares the tests that every engine must pass. The engine is opened by the first of them, and closed by the last.
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
  const catalog = buildAnalyze(factory)({
    queries: names.map((name) => queryOf(name, statements[name] ?? cases[name].sql)),
    tables: [],
  });
  const queries = new Map(names.map((name, at) => [name, catalog.queries[at]]));
  const now = new Date('2026-03-10T12:34:56.789Z');
  const host: EngineHost = {
    catalog,
    limits: { concurrency: 2, queueLength: 100, timeoutMs: 2000, ...limits },
    now: () => now,
    events: { problem() {}, news() {} },
    turns: new LoopTurns(),
  };
  const start = async (
    engine: Engine,
    name: CaseName,
    parameters: BoundValues = {},
    options: Partial<RunOptions> = {},
  ) => {
    const query = queries.get(name);
    assert.ok(query, `${name} is omitted`);
    const rows = await engine.run(
      { query, parameters },
      { signal: new AbortController().signal, ...options },
    );
    checkDocument(rows);
    return rows;
  };
  /** An engine that never closes fails its test. */
  const inTime = <T>(closing: Promise<T>) => {
    const closeMs = 5 * host.limits.timeoutMs;
    return within(waitingTimers, closeMs, closing, () => new Error(`not closed after ${closeMs} ms`));
  };
  const withEngine = async (changed: Partial<EngineLimits>, body: (engine: Engine) => Promise<void>) => {
    const engine = await factory.open({ ...host, limits: { ...host.limits, ...changed } });
    await body(engine).finally(() => inTime(engine.close()));
  };
  let opened: Promise<Engine> | undefined;
  const run = async (name: CaseName, parameters?: BoundValues, options?: Partial<RunOptions>) => {
    // Only one test is about the deadline: the others pass on a loaded machine too.
    opened ??= factory.open({ ...host, limits: { ...host.limits, timeoutMs: 60_000 } });
    return start(await opened, name, parameters, options);
  };
  const rowsOf = async (name: CaseName, parameters?: BoundValues) =>
    (await run(name, parameters)).rows.map((row) => JSON.parse(row) as Readonly<Record<string, unknown>>);
  /** Declares a test, which is skipped if a case that it needs is omitted. */
  const check = (title: string, needs: readonly CaseName[], body: () => Promise<void>) => {
    const omitted = needs.filter((name) => omit.includes(name));
    if (omitted.length === 0) test(`${factory.name}: ${title}`, body);
    else test.skip(`${factory.name}: ${title} (omitted: ${omitted.join(', ')})`, body);
  };

  check('a value of each column type has its documented JSON form', ['types'], async () => {
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

  check('records, lists and JSON are JSON; NULL in a record is null', ['nested'], async () => {
    assert.deepEqual(await rowsOf('nested'), [
      {
        json: { a: [1, null] },
        record: { here: 1, absent: null, moment: 1000000 },
        list: [1, 2],
        records: [{ name: 'x', moments: [1000000] }],
      },
    ]);
  });

  check('a NULL column is left out, as an infinite float is; a NULL list is empty', ['nulls'], async () => {
    assert.deepEqual(await rowsOf('nulls'), [{ here: 1, list: [] }]);
  });

  check('rows beyond max rows are left out, and the result is truncated', ['beyondMaxRows'], async () => {
    const { rows, truncated } = await run('beyondMaxRows');
    assert.deepEqual([rows.length, truncated], [10, true]);
  });

  check('as many rows as max rows are not truncated', ['asManyAsMaxRows'], async () => {
    const { rows, truncated } = await run('asManyAsMaxRows');
    assert.deepEqual([rows.length, truncated], [10, false]);
  });

  check('a result may have no rows', ['noRows'], async () => {
    const { rows, truncated } = await run('noRows');
    assert.deepEqual([rows, truncated], [[], false]);
  });

  check('rows come in the order of the SQL', ['ordered'], async () => {
    const xs = (await rowsOf('ordered')).map(({ x }) => x);
    assert.deepEqual(
      xs,
      Array.from({ length: 5000 }, (_, at) => 5000 - at),
    );
  });

  check('a row may be large', ['longText'], async () => {
    const [row] = await rowsOf('longText');
    assert.equal(String(row?.x).length, 1_000_000);
  });

  for (const word of ["'; select 1; --", '@word', '$1', 'ü 👍', '\\', '%', '']) {
    check(`the value ${JSON.stringify(word)} is bound, not inserted into the SQL`, ['echo'], async () => {
      assert.deepEqual(await rowsOf('echo', { word }), [{ said: word }]);
    });
  }

  check('parameters have the types that they are bound as', ['typedParameters'], async () => {
    const parameters = {
      text: '1',
      whole: '-12',
      part: '0.5',
      yes: 'true',
      moment: '2026-03-10T12:34:56.000000Z',
      day: '2026-03-10',
    };
    assert.deepEqual(await rowsOf('typedParameters', parameters), [
      { text: '1', whole: -12, part: 0.5, yes: true, moment: 1773146096000000, day: '2026-03-10' },
    ]);
  });

  check(
    'an absent parameter is an empty STRING, or NULL of any other type',
    ['typedParameters'],
    async () => {
      const parameters = { text: '', whole: '', part: '', yes: '', moment: '', day: '' };
      assert.deepEqual(await rowsOf('typedParameters', parameters), [{ text: '' }]);
    },
  );

  check('a parameter may be a list, also an empty one', ['lists'], async () => {
    assert.deepEqual(await rowsOf('lists', { words: ['b', "'a", ''] }), [{ x: 'b' }, { x: "'a" }, { x: '' }]);
    assert.deepEqual(await rowsOf('lists', { words: [] }), []);
  });

  check('a value that the SQL cannot use is INVALID_PARAMETER with its name', ['wrongValue'], async () => {
    assert.deepEqual(await rowsOf('wrongValue', { word: '12' }), [{ x: 12 }]);
    const expected = { code: 'INVALID_PARAMETER', parameter: 'word' };
    await assert.rejects(run('wrongValue', { word: 'twelve' }), expected);
  });

  const failures = {
    unsafeInteger: 'an integer that JSON numbers cannot represent',
    missingRequired: 'NULL in a required column',
    failing: 'a query that fails when it runs',
  } as const;
  for (const name of Object.keys(failures) as (keyof typeof failures)[]) {
    check(`${failures[name]} is ENGINE_FAILED, without SQL in the message`, [name], async () => {
      const failure = await errorOf(run(name));
      assert.equal(failure?.code, 'ENGINE_FAILED', String(failure));
      const sql = queries.get(name)?.sql.trim() ?? '';
      const message = String(failure);
      assert.ok(!message.includes(sql) && !/select|unnest|cast/i.test(message), message);
    });
  }

  check('the current time is that of the host, or of an engine with a clock', ['now'], async () => {
    const [row] = await rowsOf('now');
    const at = Number(row?.x) / 1000;
    if (factory.flags?.hasClock) assert.ok(Math.abs(at - Date.now()) < 3_600_000, String(at));
    else assert.equal(at, now.getTime());
  });

  check('a query beyond its deadline is ENGINE_TIMEOUT, and ends', ['endless', 'echo'], async () => {
    await withEngine({}, async (engine) => {
      await rejectsWith('ENGINE_TIMEOUT', start(engine, 'endless'));
      const { rows } = await start(engine, 'echo', { word: 'still here' });
      assert.equal(rows.length, 1);
    });
  });

  check('a query without callers is CANCELLED, running or waiting', ['endless', 'echo'], async () => {
    const caller = new AbortController();
    const runs = Array.from({ length: 8 }, () => run('endless', {}, { signal: caller.signal }));
    setTimeout(() => caller.abort(), 50);
    await rejectsWith('CANCELLED', ...runs);
    await rejectsWith('CANCELLED', run('echo', { word: 'late' }, { signal: AbortSignal.abort() }));
    assert.deepEqual(await rowsOf('echo', { word: 'still here' }), [{ said: 'still here' }]);
  });

  check('queries at the same time all get their own results', ['echo'], async () => {
    const words = Array.from({ length: 50 }, (_, at) => `word ${at}`);
    const said = await Promise.all(words.map((word) => rowsOf('echo', { word })));
    assert.deepEqual(
      said.map(([row]) => row?.said),
      words,
    );
  });

  check('a run calls onStart when it has left the queue', ['echo'], async () => {
    let starts = 0;
    const onStart = () => {
      starts += 1;
    };
    await run('echo', { word: 'x' }, { onStart });
    assert.ok(starts > 0, 'onStart was not called');
  });

  check('a cost, if the engine reports it, is of whole numbers from 0 on', ['echo'], async () => {
    const bills: Cost[] = [];
    const { cost } = await run('echo', { word: 'x' }, { onBill: (bill) => bills.push(bill) });
    for (const { bytesProcessed, bytesBilled, slotMs } of [...bills, ...(cost ? [cost] : [])])
      for (const [name, count] of Object.entries({ bytesProcessed, bytesBilled, slotMs }))
        assert.ok(count === undefined || isCount(count), `${name} is ${count}`);
  });

  check('rows wait for beforeRows, if the engine calls it', ['echo'], async () => {
    let waits = 0;
    const beforeRows = async () => {
      waits += 1;
      await new Promise((resolve) => setTimeout(resolve, 20));
      waits -= 1;
    };
    const { rows } = await run('echo', { word: 'x' }, { beforeRows });
    assert.deepEqual([rows.length, waits], [1, 0]);
  });

  check('a query too many is ENGINE_BUSY, and says when to try again', ['endless'], async () => {
    await withEngine({ concurrency: 1, queueLength: 1 }, async (engine) => {
      const caller = new AbortController();
      const options = { signal: caller.signal };
      const runs = Array.from({ length: 4 }, () => errorOf(start(engine, 'endless', {}, options)));
      // Nothing else ends.
      await Promise.race(runs);
      caller.abort();
      const errors = await Promise.all(runs);
      const busy = errors.filter((error) => error?.code === 'ENGINE_BUSY');
      assert.ok(busy.length > 0, errors.map((error) => error?.code).join());
      for (const error of busy)
        assert.ok((error?.retryAfterSeconds ?? 0) > 0, 'retryAfterSeconds is missing');
    });
  });

  check('closing stops running and waiting queries, and may be called twice', ['endless'], async () => {
    const engine = await factory.open(host);
    const runs = Array.from({ length: 4 }, () => start(engine, 'endless'));
    await inTime(Promise.all([rejectsWith('CANCELLED', ...runs), engine.close(), engine.close()]));
  });

  check('its SQL is of one of two kinds', [], async () => {
    assert.ok(['bigquery', 'native'].includes(factory.sql), `sql is ${factory.sql}`);
  });

  check('engines over the same data have the same source', [], async () => {
    const engine = await (opened ?? factory.open(host));
    opened = undefined;
    const other = await factory.open(host);
    assert.equal(typeof engine.source, 'string');
    assert.equal(other.source, engine.source);
    await inTime(Promise.all([engine.close(), other.close()]));
  });
}

function checkDocument({ rows, document }: Rows): void {
  if (document === undefined) return;
  assert.equal(document.rowCount, rows.length, 'rowCount of the document');
  const text = Buffer.concat(document.parts).toString();
  assert.deepEqual(JSON.parse(text), { result: rows.map((row) => JSON.parse(row)) });
}

interface Failure extends Error {
  readonly code?: ErrorCode;
  readonly retryAfterSeconds?: number;
}

const errorOf = (run: Promise<unknown>): Promise<Failure | undefined> =>
  run.then(() => undefined).catch((error: Failure) => error);

async function rejectsWith(code: ErrorCode, ...runs: readonly Promise<unknown>[]): Promise<void> {
  for (const error of await Promise.all(runs.map(errorOf)))
    assert.equal(error?.code, code, `${error?.code ?? error}, not ${code}`);
}
