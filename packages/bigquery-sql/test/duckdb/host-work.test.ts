import { DuckDBInstance, VARCHAR } from '@duckdb/node-api';
import { expect, test } from 'vitest';
import { tooMuchText } from '../../src/duckdb/host/apart-calls.ts';
import { registerHostFunctions } from '../../src/duckdb/host/host-functions.ts';
import { callerLimits, HostWork, savedLimits } from '../../src/duckdb/host/host-work.ts';
import { scalarValue } from '../../src/duckdb/layout/scalar-value.ts';
import type { HostFunction, HostValue } from '../../src/macros/host/host-function.ts';
import { hostFunctions } from '../../src/macros/host/host-functions.ts';
import { isNightly } from '../../../../test/support/nightly.ts';

/** In ms of this thread: however busy the machine is. */
function processorTime(work: () => void): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}

/** Takes 2 ms of this thread; how the system divides them into user and system time is not exact. */
function spin(): void {
  const before = process.threadCpuUsage();
  for (let ms = 0; ms < 2; ) {
    const { user, system } = process.threadCpuUsage(before);
    ms = (user + system) / 1_000;
  }
}

/** What an error says, or undefined; the functions refuse most of the texts. */
function failure(work: () => unknown): string | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Other arguments of functions that take a text: what they may be is checked before the text is read. */
const options: Readonly<Record<string, readonly string[]>> = {
  host_normalize: ['NFKC'],
  host_casefold: ['NFKC'],
  host_format_bytes: ['BASE2', 'BASE8', 'HEX', 'BASE64', 'BASE64M', 'UTF8', 'ASCII'],
  host_parse_bytes: ['BASE2', 'BASE8', 'HEX', 'BASE64', 'BASE64M', 'UTF8', 'ASCII'],
  host_format_decimal: ['999.99', '1.5'],
  host_format_double: ['999.99'],
  host_interval_fields: ['YEAR TO SECOND'],
  host_decimal_pairs: ['corr'],
  host_json_keys: ['lax recursive', '{"a":[1]}'],
  host_bignumeric_round: ['ROUND_HALF_EVEN'],
  host_numeric_round: ['ROUND_HALF_EVEN', '1.5'],
};

/** Combinations of arguments in which one is `text`. */
function argumentsWith({ name, parameters }: HostFunction, text: string): HostValue[][] {
  const value = (type: HostFunction['parameters'][number]): HostValue => {
    if (type === 'BLOB') return Buffer.from(text);
    if (type === 'BIGINT' || type === 'BIGNUM') return 7n;
    if (type === 'DOUBLE') return 1e300;
    if (type === 'BOOLEAN') return true;
    return type === 'VARCHAR[]' ? [text, null] : text;
  };
  const plain = parameters.map(value);
  const textsAt = parameters.flatMap((type, at) => (type === 'VARCHAR' ? [at] : []));
  const others = options[name] ?? ['$.a', '{"a":[1]}', 'YYYY-MM-DD'];
  const isAlone = textsAt.length === 0 || parameters.length === 1;
  if (isAlone) return [plain];
  const longAt = parameters.some((type) => type !== 'VARCHAR') ? [-1, ...textsAt] : textsAt;
  return longAt.flatMap((long) =>
    others.map((other) => plain.map((one, at) => (textsAt.includes(at) && at !== long ? other : one))),
  );
}

/** By day some of them: their patterns are of the same kinds. */
const tried = hostFunctions
  .filter((_, at) => isNightly || at % 4 === 0)
  .map((definition) => [definition.name, definition] as const);

test.each(tried)(
  '%s of 2,048 texts of a megabyte ends within the time of a chunk and of one text',
  (_, definition) => {
    const text = '1'.repeat(1_000_000);
    for (const args of argumentsWith(definition, text)) {
      const work = new HostWork({ ...callerLimits, chunkMs: 10 });
      const ms = processorTime(() =>
        failure(() => work.run(2_048, () => void failure(() => definition.compute(args)))),
      );
      expect(ms, args.map((arg) => String(arg).slice(0, 20)).join()).toBeLessThan(1_000);
    }
  },
  120_000,
);

/** One or several characters of each class that a pattern of a host function has. */
const classes = [
  ...[
    ' ',
    '0',
    '9',
    'a',
    'e',
    'P',
    '+',
    '-',
    ',',
    '.',
    ':',
    '=',
    '"',
    '\\',
    '\\"',
    '"a"',
    '.a',
    '[0]',
    '["a"]',
  ],
  ...['é', 'e\u0301', '\u3000', '😀', '{"a":', '1-', '1:', '-1-1 1 1:', '1Y', 'e+1'],
];

test.each(tried)(
  '%s takes time that grows as its text does, whatever the text is',
  (_, definition) => {
    for (const part of classes)
      for (const [start, end] of [
        ['', ''],
        ['1', 'x'],
      ] as const) {
        const text = `${start}${part.repeat(100_000 / part.length)}${end}`;
        for (const args of argumentsWith(definition, text)) {
          const ms = processorTime(() => failure(() => definition.compute(args)));
          expect(ms, args.map((arg) => String(arg).slice(0, 20)).join()).toBeLessThan(400);
        }
      }
  },
  120_000,
);

test('the work of a statement that has used its time fails, also where TRY gives NULL', () => {
  const work = new HostWork({ ...callerLimits, chunkMs: 5 });
  let rows = 0;
  const compute = () => {
    rows += 1;
    spin();
  };
  expect(failure(() => work.run(100, compute))).toBe(tooMuchText);
  expect(rows).toBeLessThan(10);
  expect(failure(() => work.run(1, compute))).toBe(tooMuchText);
  expect(failure(() => work.requireEnough())).toBe(tooMuchText);
});

test('the chunks of a statement together have their limit, too', () => {
  const work = new HostWork({ ...callerLimits, chunkMs: 1_000, totalMs: 20 });
  const chunks = Array.from({ length: 30 }, () => failure(() => work.run(2, spin)));
  expect(chunks[0]).toBe(undefined);
  expect(chunks.at(-1)).toBe(tooMuchText);
});

test.each([
  ['host_decimal_variance', 'stddev_samp', '9.99'],
  ['host_decimal_pairs', 'corr', '-1234567890123.123456789'],
])(
  '%s of 400,000 NUMERIC values in ten groups is within the limits of a saved query',
  (name, statistic, last) => {
    const definition = hostFunctions.find((one) => one.name === name);
    const texts = Array.from({ length: 40_000 }, (_, at) =>
      at === 7 ? last : `${at % 1_000}.${at % 10}00000000`,
    );
    const args = definition?.parameters.map((type) => (type === 'VARCHAR' ? statistic : texts)) ?? [];
    expect(failure(() => new HostWork(savedLimits).run(10, () => definition?.compute(args)))).toBe(undefined);
  },
);

test('statistics are exact for values of any number of digits', () => {
  const statistic = (name: string, ...args: HostValue[]) =>
    hostFunctions.find((one) => one.name === name)?.compute(args);
  const [few, many] = [
    ['1', '2.5', null, '-4'],
    ['1.000000000', '2.500000000', null, '-4.000000000'],
  ];
  expect(statistic('host_decimal_variance', few, 'var_pop')).toBe(
    statistic('host_decimal_variance', many, 'var_pop'),
  );
  expect(statistic('host_decimal_variance', few, 'var_pop')).toBeCloseTo(7.7222222222, 9);
  expect(statistic('host_decimal_pairs', few, ['2', '5.00', '9', '-8'], 'covar_samp')).toBeCloseTo(
    23.1666666667,
    9,
  );
  expect(statistic('host_decimal_pairs', few, ['2', '5.00', '9', '-8'], 'corr')).toBe(1);
  expect(statistic('host_decimal_pairs', few, [null, '5.00', '9', null], 'corr')).toBe(null);
});

test('a statement whose signal is aborted computes no further chunk', () => {
  const abort = new AbortController();
  const work = new HostWork(savedLimits, abort.signal);
  expect(failure(() => work.run(1, () => {}))).toBe(undefined);
  abort.abort(new Error('gone'));
  expect(failure(() => work.run(1, () => {}))).toBe('gone');
});

test('each connection has the limits of its own statement', async () => {
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
  const [limited, other] = [await instance.connect(), await instance.connect()];
  const works = registerHostFunctions(limited);
  works.set(limited.clientContext.connectionId, new HostWork({ ...callerLimits, chunkMs: 1, totalMs: 1 }));
  const sql = "SELECT count(host_casefold('é' || repeat('É', 2000) || i, 'NFC')) FROM range(1000) t(i)";
  await expect(limited.runAndReadAll(sql)).rejects.toThrow(tooMuchText);
  expect((await other.runAndReadAll(sql)).getRowsJson()).toEqual([['1000']]);
  instance.closeSync();
});

const texts = "(SELECT repeat('1', 1000) || i AS t FROM range(100) r(i))";

test.each([
  ['a text in each row', "host_casefold(t, 'NFC')", texts],
  ['BYTES in each row', 'host_sha512(encode(t))', texts],
  ['the texts of one group', "host_decimal_variance(t, 'var_pop')", `(SELECT list(t) AS t FROM ${texts})`],
])('%s: the bytes of a chunk are counted, also in TRY', async (_, call, source) => {
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
  const connection = await instance.connect();
  const works = registerHostFunctions(connection);
  const run = async (chunkBytes: number, computed: string) => {
    const work = new HostWork({ ...savedLimits, chunkBytes });
    works.set(connection.clientContext.connectionId, work);
    await connection.runAndReadAll(`SELECT ${computed} FROM ${source}`);
    work.requireEnough();
  };
  await run(200_000, call);
  await expect(run(50_000, call)).rejects.toThrow(tooMuchText);
  await expect(run(50_000, `TRY(${call})`)).rejects.toThrow(tooMuchText);
  instance.closeSync();
});

test('a row is read no further when the bytes of its chunk are too many', () => {
  const work = new HostWork({ ...savedLimits, chunkBytes: 100 });
  let values = 0;
  const read = (_: number, take: (bytes: number) => void) => {
    for (let at = 0; at < 1_000; at += 1, values += 1) take(30);
  };
  expect(failure(() => work.run(1, read))).toBe(tooMuchText);
  expect(values).toBe(3);
  expect(failure(() => work.run(1, () => {}))).toBe(tooMuchText);
});

const json = scalarValue(
  { name: 'j', type: 'JSON', mode: 'NULLABLE' },
  { sql: 't', type: VARCHAR },
  () => "error('not JSON')",
);

test.each([
  ['many records', `'[' || repeat('{"a":[0.5,-1e9],"b":"{[NaN,]}"}, ', 1000) || i || ']'`],
  ['20 levels', `repeat('[{"a":', 10) || '"' || repeat('[', 20_000) || '"' || repeat('}]', 10)`],
])('JSON of few levels is read without this process: %s', async (_, text) => {
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
  const connection = await instance.connect();
  const works = registerHostFunctions(connection);
  const work = new HostWork({ ...savedLimits, chunkBytes: 0 });
  works.set(connection.clientContext.connectionId, work);
  const sql = `SELECT count(${json}) FROM (SELECT ${text} AS t FROM range(100) r(i))`;
  expect((await connection.runAndReadAll(sql)).getRowsJson()).toEqual([['100']]);
  work.requireEnough();
  instance.closeSync();
});
