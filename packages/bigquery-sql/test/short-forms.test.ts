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

test.each<[string, readonly string[], short: string, general: string]>([
  [
    'SAFE_CAST AS FLOAT64',
    numbers,
    'bq.safe_cast_float64(text)',
    'CASE WHEN bq.safe_cast_float64(text) IS NOT NULL THEN bq.float64_of_text(text) END',
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
