import { describe, expect, test, vi } from 'vitest';
import { callerLimits, HostWork, savedLimits, tooMuchText, tooSlow } from '../../src/duckdb.ts';
import { analyze, openSession, ProblemError } from '../../src/index.ts';
import { ownSession } from '../support/own-session.ts';
import { sampleFunctions } from './sample-functions.ts';

const { answer, connect } = ownSession({ threads: '2' });

const define = (signature: string, code: string, options = '') =>
  `CREATE TEMP FUNCTION ${signature} ${options} LANGUAGE js AS r'''${code}''';\n`;

const callValue = (signature: string, code: string, call: string) =>
  answer(`${define(signature, code)}SELECT ${call}`);

test.each(sampleFunctions)('$signature', async ({ signature, code, calls }) => {
  for (const [call, value] of calls) expect(await callValue(signature, code, call), call).toEqual([[value]]);
});

describe('values', () => {
  const typeName = 'return x === null ? "null" : typeof x + " " + (x.constructor || {}).name + " " + x;';

  test.each([
    ['FLOAT64', '1.5', 'number Number 1.5'],
    ['FLOAT64', "CAST('nan' AS FLOAT64)", 'number Number NaN'],
    ['INT64', '9223372036854775807', 'string String 9223372036854775807'],
    ['ARRAY<INT64>', '[10, -9]', 'object Array 10,-9'],
    ['STRUCT<a INT64>', 'STRUCT(5)', 'object Object [object Object]'],
    ['FLOAT64', "CAST('-inf' AS FLOAT64)", 'number Number -Infinity'],
    ['BOOL', 'FALSE', 'boolean Boolean false'],
    ['STRING', "'\\u00e9\\n\\\"'", 'string String é\n"'],
    ['STRING', 'NULL', 'null'],
    ['BYTES', "b'a\\\\b\\x00\\xff'", 'string String YVxiAP8='],
    ['NUMERIC', "NUMERIC '9007199254740992'", 'number Number 9007199254740992'],
    ['NUMERIC', "NUMERIC '9007199254740993'", 'string String 9007199254740993'],
    ['NUMERIC', "NUMERIC '-1.50'", 'string String -1.5'],
    ['JSON', "JSON '[1, 2]'", 'object Array 1,2'],
    ['ARRAY<STRING>', "['a', 'b']", 'object Array a,b'],
    ['ARRAY<FLOAT64>', 'CAST(NULL AS ARRAY<FLOAT64>)', 'null'],
  ])('an argument of %s, %s', async (type, value, shown) => {
    expect(await callValue(`f(x ${type}) RETURNS STRING`, typeName, `f(${value})`)).toEqual([[shown]]);
  });

  test('times are those of UTC, with milliseconds', async () => {
    const code =
      'return [x.toISOString(), x.getHours(), x.getTimezoneOffset(), new Date(2024, 0, 1).toISOString()].join()';
    const value = await callValue(
      'f(x TIMESTAMP) RETURNS STRING',
      code,
      "f(TIMESTAMP '2024-07-01 13:00:00.123456+00')",
    );
    expect(value).toEqual([['2024-07-01T13:00:00.123Z,13,0,2024-01-01T00:00:00.000Z']]);
  });

  test.each([
    ['INT64', "'-9223372036854775808'", '-9223372036854775808'],
    ['INT64', '2n ** 62n', '4611686018427387904'],
    ['BOOL', '1', true],
    ['BOOL', '0', false],
    ['FLOAT64', '-0', -0],
    ['FLOAT64', '1e300 * 1e10', 'Infinity'],
    ['FLOAT64', '0 / 0', 'NaN'],
    ['STRING', '[1, { a: 1 }]', '1,[object Object]'],
    ['STRING', 'undefined', null],
    ['STRING', '"\\u0000\\ud83d\\ude00"', '\u0000😀'],
    ['BYTES', '"AP8="', 'AP8='],
    ['NUMERIC', '1 / 3', '0.333333333'],
    ['NUMERIC', '1e20', '100000000000000000000'],
    ['NUMERIC', '"12345678901234567890.123456789"', '12345678901234567890.123456789'],
    ['DATE', 'new Date("2024-02-29T23:59:59Z")', '2024-02-29'],
    ['JSON', '({ a: [null, "x"] })', '{"a":[null,"x"]}'],
    ['ARRAY<INT64>', '[1, "2"]', ['1', '2']],
    ['ARRAY<INT64>', '[]', []],
    ['STRUCT<a INT64, `b c` ARRAY<STRUCT<d BOOL>>>', '({ "b c": [{ d: true }], e: 1 })', [null, [[true]]]],
    ['STRUCT<a INT64>', 'null', null],
    ['FLOAT64', '(async () => x + 1)()', 2],
  ])('a result of %s, %s', async (type, expression, value) => {
    expect(await callValue(`f(x FLOAT64) RETURNS ${type}`, `return ${expression};`, 'f(1)')).toEqual([
      [value],
    ]);
  });

  test.each([
    ['INT64', '1.5', 'f: TypeError: returned 1.5 for INT64'],
    ['INT64', '2 ** 63', 'f: TypeError: returned 9223372036854776000 for INT64'],
    ['INT64', '"1e3"', 'f: TypeError: returned "1e3" for INT64'],
    ['BOOL', '"true"', 'f: TypeError: returned "true" for BOOL'],
    ['BOOL', 'NaN', 'f: TypeError: returned NaN for BOOL'],
    ['BYTES', '"é"', 'f: TypeError: returned "é" for BYTES, which is base64'],
    ['DATE', '"2024-01-01"', 'f: TypeError: returned "2024-01-01" for DATE'],
    ['TIMESTAMP', 'new Date("x")', 'f: TypeError: returned Invalid Date for TIMESTAMP'],
    ['ARRAY<STRING>', '"abc"', 'f: TypeError: returned "abc" for ARRAY'],
    ['DATE', 'new Date(Date.UTC(10000, 0))', 'f: TypeError: returned "+010000-01-01T00:00:00.000Z" for DATE'],
    ['DATE', 'new Date(-62167219200000)', 'f: TypeError: returned "0000-01-01T00:00:00.000Z" for DATE'],
    [
      'TIMESTAMP',
      'new Date(Date.UTC(-1, 0))',
      'f: TypeError: returned "-000001-01-01T00:00:00.000Z" for TIMESTAMP',
    ],
    ['NUMERIC', '"1e400"', 'f: TypeError: returned "1e400" for NUMERIC'],
    ['FLOAT64', 'nothing', "f: ReferenceError: 'nothing' is not defined"],
    ['FLOAT64', '(() => { throw "a text" })()', 'f: a text'],
    ['FLOAT64', 'Promise.reject(new RangeError("later"))', 'f: RangeError: later'],
    ['FLOAT64', 'new Promise(() => {})', 'f: its promise is never settled'],
    ['FLOAT64', ')', "f: SyntaxError: unexpected token in expression: ')'"],
  ])('%s cannot be %s', async (type, expression, message) => {
    expect(await callValue(`f(x FLOAT64) RETURNS ${type}`, `return ${expression};`, 'f(1)')).toEqual(message);
  });
});

describe('a statement', () => {
  test('calls functions for rows, in conditions, aggregates, and other functions', async () => {
    const sql = `${define('odd(x FLOAT64) RETURNS BOOL', 'return x % 2 === 1')}
      ${define('twice(x FLOAT64) RETURNS INT64', 'return x * 2', 'DETERMINISTIC')}
      CREATE TEMP FUNCTION plus(x INT64) AS (twice(x) + 1);
      SELECT plus(n), COUNT(*), SUM(twice(n)) FROM UNNEST([1, 2, 3, 3]) AS n WHERE odd(n) GROUP BY 1 ORDER BY 1`;
    expect(await answer(sql)).toEqual([
      ['3', '1', '2'],
      ['7', '2', '12'],
    ]);
  });

  test('computes 100,000 rows, with long texts between them', async () => {
    const sql = `${define('f(x FLOAT64, s STRING) RETURNS INT64', 'return x + s.length')}
      SELECT SUM(f(n, IF(MOD(n, 30000) = 0, REPEAT('é', 400000), ''))) FROM UNNEST(GENERATE_ARRAY(1, 100000)) AS n`;
    expect(await answer(sql)).toEqual([[String(5_000_050_000 + 1_200_000)]]);
  });

  test('names arguments and describes functions', async () => {
    const sql = `
      CREATE TEMP FUNCTION f(a INT64, b STRING) RETURNS STRING LANGUAGE js OPTIONS (description = 'd') AS 'return a + b';
      CREATE TEMP FUNCTION g(x INT64, y STRING) AS (f(b => y, a => x)) OPTIONS (description = 'd');
      SELECT g(1, y => 'a'), g(Y => 'b', x => 2)`;
    expect(await answer(sql)).toEqual([['1a', '2b']]);
  });

  test('keeps nothing for another statement', async () => {
    const code = 'globalThis.n = (globalThis.n || 0) + 1; Array.prototype.left = 1; return globalThis.n;';
    const sql = `${define('f() RETURNS INT64', code)}SELECT MAX(f()) FROM UNNEST([1, 2, 3])`;
    expect(await answer(sql)).toEqual([['3']]);
    expect(await answer(sql)).toEqual([['3']]);
    expect(await callValue('f() RETURNS BOOL', 'return [].left === undefined', 'f()')).toEqual([[true]]);
  });

  test.each(['5', 'null', '"y"', 'true', '[5]', '[{}]', '["a", "b"]'])(
    'whose function makes %s of its results fails alone',
    async (made) => {
      const code = `Array.prototype.toJSON = () => (${made}); return "a";`;
      expect(await callValue('f() RETURNS STRING', code, 'f()')).toBe('f: it changes what computes it');
    },
  );

  test('calls a function for each row that may give other values', async () => {
    const random = define('f() RETURNS FLOAT64', 'return Math.random()');
    expect(await answer(`${random}SELECT COUNT(DISTINCT f()) FROM UNNEST([1, 2, 3])`)).toEqual([['3']]);
    const counting = define('f() RETURNS INT64', 'return this.n = (this.n || 0) + 1', 'NOT DETERMINISTIC');
    expect(await answer(`${counting}SELECT COUNT(DISTINCT f()) FROM UNNEST([1, 2, 3])`)).toEqual([['3']]);
    const fixed = define('f() RETURNS FLOAT64', 'return Math.random()', 'DETERMINISTIC');
    expect(await answer(`${fixed}SELECT COUNT(DISTINCT f()) FROM UNNEST([1, 2, 3])`)).toEqual([['1']]);
  });
});

test('a function sees nothing of the process', async () => {
  const names =
    '["process", "require", "module", "fetch", "setTimeout", "WebAssembly", "console", "std", "os"]';
  const code = `const made = Function('return this')(); return ${names}.filter(n => typeof made[n] !== 'undefined').join();`;
  expect(await callValue('f() RETURNS STRING', code, 'f()')).toEqual([['']]);
  const tricks = `({}).constructor.constructor('return this')().Object.prototype.polluted = 1; JSON.parse = JSON.stringify = null;
    Array.prototype.toJSON = () => 'x'; Object.prototype.toJSON = () => 'y'; String.prototype.toString = () => 'z'; return x;`;
  await callValue('f(x FLOAT64) RETURNS FLOAT64', tricks, 'f(1)');
  expect('polluted' in {}).toBe(false);
  expect(await callValue('f(x FLOAT64) RETURNS FLOAT64', 'return x', 'f(1)')).toEqual([[1]]);
});

describe('an aggregate', () => {
  const rest = 'export function merge(a, b) {} export function finalize(a) { return a.sum; }';
  const sum = (type: string, code: string) =>
    `CREATE TEMP AGGREGATE FUNCTION f(x ${type}) RETURNS ${type} LANGUAGE js AS r'''${code}''';\n`;
  const positive = sum(
    'FLOAT64',
    `export const initialState = () => ({ sum: 0 }); export function aggregate(a, x) { if (x > 0) a.sum += x; } ${rest}`,
  );
  const bytes = `export function initialState() { return { sum: new Uint8Array() }; }
    export function aggregate(a, x) { if (x) a.sum = Uint8Array.of(...a.sum, ...x); } ${rest}`;
  const integers = `export function initialState() { return { sum: 0n }; }
    export function aggregate(a, x) { if (x !== null) a.sum += x; } ${rest}`;

  test('has a state for each group, also for no rows', async () => {
    expect(
      await answer(`${positive}SELECT MOD(x, 2) AS k, f(x), f(x) / COUNT(*)
        FROM UNNEST([1, -2, 3, 4, -5]) AS x GROUP BY k HAVING f(x) > 0 ORDER BY f(x) DESC, k`),
    ).toEqual([
      ['0', 4, 2],
      ['1', 4, 2],
    ]);
    expect(await answer(`${positive}SELECT f(x) FROM UNNEST([1]) AS x WHERE x > 1`)).toEqual([[0]]);
    expect(
      await answer(`${positive}SELECT (SELECT f(y) FROM UNNEST([x, 2]) AS y) FROM UNNEST([1, -3]) AS x`),
    ).toEqual([[3], [2]]);
  });

  test('takes INT64 as BigInt, and BYTES as Uint8Array', async () => {
    expect(
      await answer(`${sum('INT64', integers)}SELECT f(x) FROM UNNEST([9223372036854775800, NULL, 7]) AS x`),
    ).toEqual([['9223372036854775807']]);
    expect(
      await answer(`${sum('BYTES', bytes)}SELECT TO_HEX(f(x)) FROM UNNEST([b'a\\xff', NULL, b'\\\\']) AS x`),
    ).toEqual([['61ff5c']]);
  });

  test('gets arguments that are the same for all rows after the others', async () => {
    const sql = `CREATE TEMP AGGREGATE FUNCTION f(mark STRING NOT AGGREGATE, x STRING) RETURNS STRING LANGUAGE js AS r'''
        export function initialState(mark) { return { texts: [], mark }; }
        export function aggregate(a, x, mark) { a.texts.push(mark + x); }
        export function merge(a, b) {}
        export function finalize(a, mark) { return a.mark + a.texts.join(mark); }
      ''';
      SELECT f('.', x) FROM UNNEST(['a', 'b']) AS x`;
    expect(await answer(sql)).toEqual([['..a..b']]);
  });

  test.each([
    ['export function aggregate() {}', 'f: TypeError: it exports no function initialState'],
    [`export const initialState = () => 2.3, aggregate = 0; ${rest}`, 'aggregate'],
    [
      `export const initialState = () => 2.3, aggregate = () => {}; ${rest}`,
      'initialState returned no object',
    ],
    ['import x from "y";', "could not load module 'y'"],
    ['export function (', 'f: SyntaxError'],
    ['throw new Error("early")', 'f: Error: early'],
  ])('fails: %s', async (code, message) => {
    expect(await answer(`${sum('FLOAT64', code)}SELECT f(x) FROM UNNEST([1]) AS x`)).toContain(message);
  });

  test.each([
    'while (true);',
    `export function initialState() { while (true); } export function aggregate() {} ${rest}`,
    `export function initialState() { return {}; } export function aggregate() { while (true); } ${rest}`,
  ])('without an end fails: %s', async (code) => {
    const failed = await answer(`${sum('FLOAT64', code)}SELECT f(x) FROM UNNEST([1]) AS x`, {
      timeoutMs: 300,
    });
    expect(failed).toMatch(/^(no result within|functions in JavaScript take longer)/);
    expect(await answer(`${positive}SELECT f(x) FROM UNNEST([1]) AS x`)).toEqual([[1]]);
  });

  test('in WHERE is refused', async () => {
    expect(await answer(`${positive}SELECT x FROM UNNEST([1]) AS x WHERE f(x) > 0`)).toContain(
      'belong in HAVING',
    );
  });
});

describe('what would hurt the process fails alone', () => {
  const noTime = ['no result within 0.5 s', tooSlow];
  // A machine under load is slower than memory is full.
  const noMemory = [
    'f: InternalError: out of memory',
    'f: it uses more than 64 MB of memory',
    'f: it fails without a message',
    'f: it threw null, or it uses too much memory or too deep a stack',
    tooSlow,
  ];
  const deep = ['f: InternalError: stack overflow', 'f: SyntaxError: stack overflow'];

  test.each([
    ['an endless loop', 'while (true) {}', noTime],
    ['an endless loop that catches', 'for (;;) try { for (;;) ; } catch (e) {}', noTime],
    ['endless promises', 'return (async () => { for (;;) await 0; })()', noTime],
    ['promises that settle each other', 'return Promise.resolve({ then(r) { r(this); } })', noTime],
    ['an exponential pattern', 'return /^(a+)+$/.test("a".repeat(40) + "b")', noTime],
    ['a loop of the engine itself', 'return "a".repeat(1e7).indexOf("a".repeat(5e6) + "b")', noTime],
    ['an array of a gigabyte', 'return new ArrayBuffer(1 << 30).byteLength', noMemory],
    ['texts without end', 'const a = []; for (;;) a.push("x".repeat(1e6) + a.length)', noMemory],
    ['objects without end', 'const a = []; for (;;) a.push({ a })', noMemory],
    ['deep recursion', 'return (function f() { return f() + 1 })()', deep],
    ['deep recursion of the engine', 'const f = () => [1].map(f); return f()', deep],
    ['deep nesting', 'return JSON.parse("[".repeat(1e6))', deep],
  ])('%s', async (_, code, messages) => {
    const sql = `${define('f(x FLOAT64) RETURNS FLOAT64', code)}SELECT f(1)`;
    expect(messages).toContain(await answer(sql, messages === noTime ? { timeoutMs: 500 } : {}));
    expect(await callValue('f(x FLOAT64) RETURNS FLOAT64', 'return x + 1', 'f(1)')).toEqual([[2]]);
  });

  test('another session of the database changes no limits', async () => {
    const another = await openSession(await connect());
    const spent = process.threadCpuUsage();
    expect(
      await answer(`${define('f() RETURNS INT64', 'while (true);')}SELECT f()`, { timeoutMs: 300 }),
    ).toBe('no result within 0.3 s');
    // In processor time: another process may have the core meanwhile.
    const { user, system } = process.threadCpuUsage(spent);
    expect((user + system) / 1_000).toBeLessThan(2_000);
    const counts = define('f(x FLOAT64) RETURNS INT64', 'globalThis.n = (globalThis.n || 0) + 1; return n;');
    const sql = `${counts}SELECT MAX(f(n)) FROM UNNEST(GENERATE_ARRAY(1, 5000)) AS n`;
    expect(await answer(sql)).toEqual([['5000']]);
    expect(await another.run(sql)).toMatchObject({ rows: [['5000']] });
  });

  test('a message has 1,000 characters at most', async () => {
    const message = await callValue('f() RETURNS STRING', 'throw "x".repeat(1e5)', 'f()');
    expect(message).toBe(`f: ${'x'.repeat(1_000)}`);
  });

  test('a statement has as much time as its limits', async () => {
    await new Promise(setImmediate);
    const work = new HostWork({ ...callerLimits, totalMs: 20, turnMs: Number.POSITIVE_INFINITY });
    expect(work.wait(10, () => spend(25))).toBe(25);
    const compute = vi.fn(() => 1);
    expect(() => work.wait(10, compute)).toThrow(tooSlow);
    expect(compute).not.toHaveBeenCalled();
    expect(() => new HostWork(callerLimits).wait(callerLimits.chunkBytes + 1, compute)).toThrow(tooMuchText);
  });

  test('calls without a turn of the event loop between them have a limit together', async () => {
    const wait = (ms: number) => new HostWork({ ...savedLimits, turnMs: 30 }).wait(10, () => spend(ms));
    await new Promise(setImmediate);
    wait(35);
    expect(() => wait(1)).toThrow(tooSlow);
    await new Promise(setImmediate);
    expect(wait(1)).toBe(1);
  });
});

function spend(ms: number): number {
  const until = performance.now() + ms;
  while (performance.now() < until);
  return ms;
}

describe('is refused', () => {
  const body = 'AS "return 1"; SELECT 1';
  test.each([
    ['f(x ANY TYPE) RETURNS FLOAT64 LANGUAGE js', 'JavaScript takes no parameter of ANY TYPE'],
    ['f(x DATETIME) RETURNS FLOAT64 LANGUAGE js', 'the type DATETIME is not supported in JavaScript'],
    ['f() RETURNS BIGNUMERIC LANGUAGE js', 'the type BIGNUMERIC is not supported in JavaScript'],
    [
      'f() RETURNS STRUCT<`__proto__` STRING> LANGUAGE js',
      'each field of a STRUCT of JavaScript needs a name of its own',
    ],
    [
      'f(x STRUCT<FLOAT64>) RETURNS FLOAT64 LANGUAGE js',
      'each field of a STRUCT of JavaScript needs a name of its own',
    ],
    ['f() LANGUAGE js', 'a function in JavaScript needs RETURNS with a type'],
    ['f() RETURNS INT64 LANGUAGE python', 'functions in python are not supported, only in SQL and js'],
    [
      "f() RETURNS INT64 LANGUAGE js OPTIONS (library = ['gs://a/b.js'])",
      'OPTIONS (library = …) is not supported: write the code of the library into the function',
    ],
    [
      "f() RETURNS INT64 LANGUAGE js OPTIONS (description = 'd', library = 'gs://a/b.js')",
      'OPTIONS (library = …) is not supported: write the code of the library into the function',
    ],
    [
      "f() RETURNS INT64 LANGUAGE js OPTIONS (description = 'd', max_batching_rows = 1)",
      'the option max_batching_rows of a function is not supported',
    ],
    [
      'f() RETURNS INT64 LANGUAGE python WITH CONNECTION c OPTIONS (runtime_version = "3")',
      'functions in python are not supported, only in SQL and js',
    ],
  ])('%s', (signature, message) => {
    expect(problemOf(`CREATE TEMP FUNCTION ${signature} ${body}`)).toBe(message);
  });

  test('arguments of other types or number, an aggregate, and microseconds', () => {
    const f = define('f(x FLOAT64) RETURNS FLOAT64', 'return x');
    expect(problemOf(`${f}SELECT f('a' || 'b')`)).toBe('expected FLOAT64, got STRING');
    expect(problemOf(`${f}SELECT f(1, 2)`)).toBe('f takes 1 argument');
    expect(problemOf(`${f}SELECT f(y => 1)`)).toBe('f has no argument named y');
    const two = define('f(x FLOAT64, y FLOAT64) RETURNS FLOAT64', 'return x');
    expect(problemOf(`${two}SELECT f(1, x => 1)`)).toBe('the argument x is given twice');
    expect(problemOf(`${two}SELECT f(y => 1, 2)`)).toBe('named arguments come after all others');
    const one = `CREATE TEMP AGGREGATE FUNCTION f(x FLOAT64) RETURNS FLOAT64 LANGUAGE js ${body.replace('SELECT 1', '')}`;
    expect(problemOf(`${one}SELECT f(x) OVER () FROM UNNEST([1]) AS x`)).toBe(
      'f is a function of this query, which takes only arguments',
    );
    expect(problemOf(`${define('f(t TIMESTAMP) RETURNS FLOAT64', 'return t.microsecond')}SELECT 1`)).toBe(
      'the microseconds of a TIMESTAMP are not supported in JavaScript: a Date has milliseconds',
    );
  });
});

function problemOf(sql: string): string | undefined {
  try {
    analyze(sql, { tables: [] });
    return undefined;
  } catch (error) {
    if (error instanceof ProblemError) return error.problems[0]?.message;
    throw error;
  }
}
