import { afterAll, beforeAll, expect, test } from 'vitest';
import { type DialectDatabase, openDialectDatabase } from './support/dialect-database.ts';
import { openRandom } from './support/random.ts';

let database: DialectDatabase;
beforeAll(async () => {
  database = await openDialectDatabase();
});
afterAll(() => database.close());

const random = openRandom(28);

/** Texts of some of the pieces: most are read by the general form only. */
const textsOf = (pieces: readonly [string, ...string[]], most: number): readonly string[] =>
  Array.from({ length: 3000 }, () =>
    Array.from({ length: 1 + random.below(most) }, () => random.one(pieces)).join(''),
  );

const numbers = textsOf(
  ['0', '1', '25', '9', '.', '-', '+', '_', 'e', 'E', ' ', '\v', '\n', 'inf', 'nan'],
  6,
);
const hosts = textsOf(['a.b', 'x', ':', '/', '@', '.', '80', '?', '#', '\\', ' ', '[::1]', 'é', '-'], 4);
const urls = hosts.map((host) => `${random.one(['http://', 'HTTP://', '//', 'a:b@', 'ftp:/'])}${host}`);

const integers = textsOf(
  ['1', '9', '00', '-', '+', '_', 'e2', 'E4', '.', ' ', '0x', 'A', '\v', '12345678'],
  6,
);
const floats = Array.from({ length: 3000 }, () => {
  const digits = Array.from({ length: 1 + random.below(18) }, () => random.below(10)).join('');
  const exponent = random.one(['', '', 'e-6', 'e-15', 'e-17', 'e3', 'e300']);
  return `${random.one(['', '-'])}${random.one(['', '0.', '0.000'])}${digits}${exponent}`;
});
const zones = [
  'America/New_York',
  'America/Sao_Paulo',
  'America/Havana',
  'Asia/Beirut',
  'Asia/Gaza',
  'Africa/Freetown',
  'Africa/Cairo',
  'Pacific/Apia',
  'Australia/Lord_Howe',
] as const;
/** Most zones change their offset in these months, some of them at midnight. */
const moments = Array.from({ length: 3000 }, () => {
  const year = random.one([1939, 1985, 1999, 2008, 2011, 2019, 2023]);
  const day = `${random.one(['03', '04', '09', '10', '11', '12'])}-${10 + random.below(21)}`;
  return `${random.one(zones)} ${year}-${day} ${10 + random.below(14)}:30:00+00`;
});
const zoneAndMoment = "CAST(substr(text, strpos(text, ' ') + 1) AS TIMESTAMPTZ), split_part(text, ' ', 1)";

test.each<[string, readonly string[], short: string, general: string]>([
  [
    'SAFE_CAST AS FLOAT64',
    numbers,
    'bq.safe_cast_float64(text)',
    'CASE WHEN bq.safe_cast_float64(text) IS NOT NULL THEN bq.float64_of_text(text) END',
  ],
  [
    'SAFE_CAST AS INT64',
    integers,
    'bq.safe_cast_int64(text)',
    String.raw`CASE WHEN regexp_full_match(text, '\s*[+-]?\d+\s*') THEN try_cast(text AS BIGINT)
      WHEN regexp_full_match(text, '\s*[+-]?0[xX][0-9a-fA-F]{1,16}\s*') THEN bq.hex_int64(text) END`,
  ],
  [
    'CAST FLOAT64 AS STRING',
    floats,
    'bq.float_text(CAST(text AS DOUBLE))',
    `CASE WHEN CAST(format('{:.15g}', CAST(text AS DOUBLE)) AS DOUBLE) = CAST(text AS DOUBLE)
      THEN format('{:.15g}', CAST(text AS DOUBLE) + 0.0) ELSE format('{:.17g}', CAST(text AS DOUBLE)) END`,
  ],
  [
    'TIMESTAMP_TRUNC to days of a zone',
    moments,
    `CAST(coalesce(bq.day_truncated(${zoneAndMoment}), bq.far_truncated_day(${zoneAndMoment})) AS VARCHAR)`,
    `CAST(bq.far_truncated_day(${zoneAndMoment}) AS VARCHAR)`,
  ],
  [
    'NET.HOST',
    urls,
    "nullif(bq.net_usual_host(text), '')",
    "CASE WHEN bq.net_usual_host(text) <> '' THEN bq.net_other_host(text) END",
  ],
])('%s: the short form gives what the general one gives', async (_, texts, short, general) => {
  const list = texts.map((text) => `('${text}')`).join(', ');
  const sql = `SELECT text, ${short} AS short, ${general} AS general FROM (VALUES ${list}) AS v(text)`;
  const rows = (await database.connection.runAndReadAll(sql)).getRows();
  expect(rows.filter(([, , general]) => general !== null).length).toBeGreaterThan(100);
  expect(rows.filter(([, short, general]) => !Object.is(short, general))).toEqual([]);
});
