import { expect, test } from 'vitest';
import { buildAnalyze } from '../../src/catalog-analysis/analyze-catalog.ts';
import { draftQuery } from '../support/queries.ts';

const problemsOf = (parameters: Readonly<Record<string, string>>, expression: string) =>
  buildAnalyze()({ queries: [], tables: [] })
    .analysisOf(draftQuery({ parameters, columns: { day: 'string' }, sql: `SELECT ${expression} AS day` }))
    .zoneProblems()
    .map(({ message }) => message);

const tz = (rest: string) => ({ tz: `{ type: string, description: Z, ${rest} }` });
const wrong = 'there is no time zone Europe/Berlinn; did you mean Europe/Berlin?';
const useful = ['Europe/Berlin', '+05:30', 'UTC'];

test.each([
  'STRING(CURRENT_DATETIME(@tz))',
  'STRING(CURRENT_TIMESTAMP(), @tz)',
  "FORMAT_TIMESTAMP('%F', CURRENT_TIMESTAMP(), @tz)",
  'CAST(EXTRACT(DATE FROM CURRENT_TIMESTAMP() AT TIME ZONE @tz) AS STRING)',
  'STRING(TIMESTAMP_TRUNC(CURRENT_TIMESTAMP(), DAY, @tz), @tz)',
  "CAST(CURRENT_TIMESTAMP() AS STRING FORMAT 'YYYY' AT TIME ZONE @tz)",
])('the default of a time zone is one: %s', (expression) => {
  expect(problemsOf(tz('default: Europe/Berlinn'), expression)).toEqual([`parameters.tz: default: ${wrong}`]);
  expect(problemsOf(tz('example: Europe/Berlinn'), expression)).toEqual([`parameters.tz: example: ${wrong}`]);
  for (const zone of useful) expect(problemsOf(tz(`default: "${zone}"`), expression)).toEqual([]);
});

test('each value of an enum of time zones is one', () => {
  const values =
    'values: { UTC: { name: UTC, description: U }, Europe/Berlinn: { name: B, description: B } }';
  const parameters = { tz: `{ type: enum, enum: Zone, description: Z, default: UTC, ${values} }` };
  expect(problemsOf(parameters, 'STRING(CURRENT_TIMESTAMP(), @tz)')).toEqual([
    `parameters.tz: values: ${wrong}`,
  ]);
});

test.each([
  "IF(@tz = 'none', 'none', STRING(CURRENT_TIMESTAMP(), @tz))",
  "STRING(CURRENT_TIMESTAMP(), COALESCE(NULLIF(@tz, 'none'), 'UTC'))",
  '@tz',
])('a parameter that the SQL reads as something else too may have any default: %s', (expression) => {
  expect(problemsOf(tz('default: none'), expression)).toEqual([]);
});
