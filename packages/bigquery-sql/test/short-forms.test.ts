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
/** Texts of the length of a date, or about it. */
const days = Array.from({ length: 3000 }, () => {
  const separator = random.one(['-', '-', '-', '-', '/', ' ']);
  const year = random.one(['2024', '2024', '2023', '0001', '0000', '02024', '024', '+24']);
  const month = random.one(['02', '12', '12', '2', '13', ' 2']);
  const day = random.one(['29', '05', '31', '5', '031', 'é']);
  const end = random.one(['', '', '', '', ' ', '\t', '\v', ' BC']);
  return `${random.one(['', '', '', ' ', '-'])}${[year, month, day].join(separator)}${end}`;
});
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
/** Texts of JSON with fields of the same name, escapes, numbers that DuckDB writes in another way, and some that are none. */
const jsons = Array.from({ length: 3000 }, () => {
  const number = () =>
    random.one([
      '1',
      '0',
      '-0',
      '1.5',
      '1.50',
      '-0.0',
      '15e1',
      '1E2',
      '0.00001',
      '12345678901234567890',
      '2.25',
    ]);
  const value = (depth: number): string => {
    const kind = random.below(depth > 1 ? 6 : 8);
    if (kind < 4) return number();
    if (kind === 4)
      return random.one(['"1.50"', '"x"', '"[1]"', '"{"', '"nan"', '"é"', '"-0"', '"a\\"b"', '""']);
    if (kind === 5) return random.one(['null', 'true', 'NaN', '-inf', 'Infinity', 'nul', '"inf,"', '"info"']);
    return kind === 6 ? `[${value(depth + 1)},${value(depth + 1)}]` : object(depth + 1);
  };
  const object = (depth: number): string => {
    const [colon, comma] = random.one<readonly [string, string]>([
      [':', ','],
      [': ', ', '],
      [' :', ' ,'],
    ]);
    const names = ['price', 'unit_price', 'pri', '0', 'p\\u0072ice', 'a'] as const;
    const fields = Array.from(
      { length: random.below(4) },
      () => `"${random.one(names)}"${colon}${value(depth)}`,
    );
    return `{${fields.join(comma)}${random.percent(1) ? ',' : ''}}`;
  };
  return object(0);
});
const jsonAt = (pointer: string): string =>
  `CASE WHEN NOT regexp_matches(bq.json_bones(text), '(?i)nan|inf') AND json_valid(text)
    THEN json_extract(bq.json_with_numbers(text), '${pointer}') END`;

const halves = ['0', '-0', '1', '-3.5', '1e-320', '1e308', '-1e308', '0.1', 'inf', '-inf', 'nan'] as const;
const divisions = Array.from({ length: 1000 }, () => `${random.one(halves)} ${random.one([...halves, ''])}`);
const [dividend, divisor] = [1, 2].map((n) => `TRY_CAST(split_part(text, ' ', ${n}) AS DOUBLE)`);

const times = Array.from({ length: 3000 }, () => {
  const fraction = random.one([0, 500_000, 120_000, 123_000, 123_400, 100, 1, random.below(1_000_000)]);
  const second = random.one([
    -62_135_596_800,
    253_402_300_799,
    random.below(2 ** 31),
    -random.below(2 ** 34),
  ]);
  return String(BigInt(second) * 1_000_000n + BigInt(fraction));
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
    'SAFE_CAST AS DATE',
    days,
    'CAST(bq.safe_cast_date(text) AS VARCHAR)',
    String.raw`CASE WHEN regexp_full_match(text, '\d{4}-\d{1,2}-\d{1,2}') AND NOT regexp_matches(text, '^0+-')
      THEN CAST(try_cast(text AS DATE) AS VARCHAR) END`,
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
  ...(['price', 'unit_price'] as const).map(
    (name): [string, readonly string[], short: string, general: string] => [
      `JSON_VALUE of ${name}`,
      jsons,
      `bq.json_scalar_at_key(text, '/${name}', '${name}":', '%price"%price"%')`,
      `bq.json_scalar(${jsonAt(`/${name}`)})`,
    ],
  ),
  ['JSON_VALUE', jsons, "bq.json_scalar_at(text, '/0')", `bq.json_scalar(${jsonAt('/0')})`],
  ['JSON_QUERY', jsons, "bq.json_text_at(text, '/a')", `bq.json_text_of(bq.json_not_null(${jsonAt('/a')}))`],
  [
    'SAFE_DIVIDE',
    divisions,
    `bq."safe_divide(a double, b double)"(${dividend}, ${divisor})`,
    `CASE WHEN isfinite(${dividend}) AND isfinite(${divisor}) AND NOT isfinite(${dividend} / ${divisor}) THEN NULL
      ELSE ${dividend} / nullif(${divisor}, 0) END`,
  ],
  [
    'CAST DATETIME AS STRING',
    times,
    'bq.datetime_text(make_timestamp(CAST(text AS BIGINT)))',
    `strftime(make_timestamp(CAST(text AS BIGINT)), '%Y-%m-%d %H:%M:%S')
      || bq.fraction_text(make_timestamp(CAST(text AS BIGINT)))`,
  ],
  ...(['week', 'week_monday', 'week_saturday', 'isoweek'] as const).flatMap((part, at) => {
    const shift = [719_170, 719_169, 719_164, 719_169][at];
    const time = 'make_timestamp(CAST(text AS BIGINT))';
    const general = `CASE WHEN bq.unix_date(CAST(${time} AS DATE)) >= -719155
      THEN CAST(bq.date_of(bq.week_count(CAST(${time} AS DATE), ${shift}) * 7 - ${shift}) AS VARCHAR) END`;
    return [
      `CAST(bq."date_trunc_${part}(d date)"(CAST(${time} AS DATE)) AS VARCHAR)`,
      `CAST(CAST(bq.datetime_trunc_${part}(${time}) AS DATE) AS VARCHAR)`,
      `CAST(CAST(bq."timestamp_trunc_${part}(t timestamptz)"(timezone('UTC', ${time})) AS DATE) AS VARCHAR)`,
    ].map((short): [string, readonly string[], string, string] => [
      short.replace(/CAST\((?:CAST\()?|\(.*/g, ''),
      times,
      `CASE WHEN bq.unix_date(CAST(${time} AS DATE)) >= -719155 THEN ${short} END`,
      general,
    ]);
  }),
  [
    'CAST TIMESTAMP AS STRING',
    times,
    'bq."cast_string(x timestamptz)"(make_timestamptz(CAST(text AS BIGINT)))',
    "bq.datetime_text(timezone('UTC', make_timestamptz(CAST(text AS BIGINT)))) || '+00'",
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
