import { expect, test } from 'vitest';
import { macros } from '../../src/macros/macros.ts';
import type { Macro } from '../../src/macros/parse-macros.ts';
import { describeType, duckdbType, unknown } from '../../src/types.ts';
import { openDialectDatabase } from '../support/dialect-database.ts';
import { isNightly } from '../../../../test/support/nightly.ts';

const strict = [...macros.values()].flat().filter(({ isStrict }) => isStrict);

/** Values of each type, by the words of BigQuery; of STRING some that are numbers, times and other formats. */
const samples: Readonly<Record<string, readonly string[]>> = {
  INT64: ['1', '-7', '0'],
  FLOAT64: ['1.5', "'nan'", "'-inf'"],
  NUMERIC: ['1.5', '0'],
  BIGNUMERIC: ["'1.5'", "'0'"],
  BOOL: ['true', 'false'],
  STRING: [
    ...["'1'", "'2024-01-31'", "'2024-01-31 12:00:00'", "'12:00:00'", "'1-2 3 4:5:6'", "'true'", "'{}'"],
    ...["'[2024-01-31, 2024-02-01)'", "'[2024-01-31 12:00:00, 2024-02-01 12:00:00)'"],
  ],
  BYTES: ["'a'", "''"],
  DATE: ["'2024-01-31'"],
  TIME: ["'12:00:00'"],
  DATETIME: ["'2024-01-31 12:00:00'"],
  TIMESTAMP: ["'2024-01-31 12:00:00+00'"],
  INTERVAL: ["'1 day'"],
  JSON: ["'1'", "'1.5'", "'true'", '\'"a"\''],
};

/** Values of parameters that take few texts; formats are in the order of the texts that have them. */
const namedSamples: Readonly<Record<string, readonly string[]>> = {
  zone: ["'UTC'"],
  mode: ["'ROUND_HALF_EVEN'"],
  format: ["'9999'", "'YYYY-MM-DD'", "'YYYY-MM-DD HH24:MI:SS'", "'HH24:MI:SS'", "'UTF-8'"],
};

const castOf = ({ type = unknown }: Macro['parameters'][number], value: string): string => {
  const duckdb = duckdbType(type);
  return duckdb === undefined ? value : `cast(${value} as ${duckdb})`;
};

const samplesOf = ({ name, type = unknown }: Macro['parameters'][number]): readonly string[] =>
  namedSamples[name] ?? samples[describeType(type)] ?? ["'a'"];

test('a macro that is marked as strict is NULL exactly if an argument is', async () => {
  const { connection, close } = await openDialectDatabase();
  const isNull = async ({ callee }: Macro, args: readonly string[]): Promise<boolean | undefined> => {
    try {
      const rows = await connection.runAndReadAll(`select ${callee}(${args.join(', ')}) is null`);
      return rows.getRows()[0]?.[0] === true;
    } catch {
      return undefined;
    }
  };
  const wrong: string[] = [];
  const never: string[] = [];
  for (const macro of strict.filter((_, at) => isNightly || at % 3 === 0)) {
    const { callee, parameters } = macro;
    let answers = 0;
    const most = Math.max(1, ...parameters.map((parameter) => samplesOf(parameter).length));
    for (let at = 0; at < most && answers < 2; at += 1) {
      const args = parameters.map((parameter) => {
        const values = samplesOf(parameter);
        return castOf(parameter, values[at % values.length] ?? '');
      });
      const result = await isNull(macro, args);
      if (result === true) wrong.push(`${callee}(${args.join(', ')}) is NULL`);
      if (result === undefined) continue;
      answers += 1;
      for (const [nullAt, parameter] of parameters.entries()) {
        const withNull = args.with(nullAt, castOf(parameter, 'NULL'));
        if ((await isNull(macro, withNull)) === false)
          wrong.push(`${callee}(${withNull.join(', ')}) is not NULL`);
      }
    }
    if (answers === 0) never.push(callee);
  }
  close();
  expect(never).toEqual([]);
  expect(wrong).toEqual([]);
}, 120_000);
