import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tableFromIPC } from 'apache-arrow';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { queryText } from '../../support/queries.ts';
import { parquetTypes, readArrow, readParquetText } from '../../support/read-formats.ts';
import { apiKey, openTestApp, type TestApp } from '../../support/test-app.ts';

const folder = mkdtempSync(join(tmpdir(), 'querygate-test-'));
mkdirSync(join(folder, 'tables'));
writeFileSync(
  join(folder, 'tables/events.json'),
  JSON.stringify([
    { name: 'id', type: 'STRING' },
    {
      name: 'detail',
      type: 'RECORD',
      mode: 'REPEATED',
      fields: [
        { name: 'at', type: 'TIMESTAMP' },
        { name: 'local', type: 'DATETIME' },
        { name: 'day', type: 'DATE' },
        { name: 'hour', type: 'TIME' },
        { name: 'raw', type: 'BYTES' },
        { name: 'price', type: 'NUMERIC' },
        { name: 'any', type: 'JSON' },
        { name: 'ratio', type: 'FLOAT', mode: 'REPEATED' },
        { name: 'cf-ray', type: 'STRING' },
        { name: 'inner', type: 'RECORD', fields: [{ name: 'at', type: 'TIMESTAMP', mode: 'REPEATED' }] },
      ],
    },
  ]),
);
const columns = {
  id: 'string',
  detail: '{ type: record, repeated: true, description: Details. }',
};
writeFileSync(
  join(folder, 'events.all.sql'),
  queryText({ name: 'events.all', columns, sql: 'select id, detail from events order by id' }),
);
writeFileSync(
  join(folder, 'no.events.sql'),
  queryText({ name: 'no.events', columns, sql: "select id, detail from events where id = 'none'" }),
);

const rows = [
  {
    id: 'a',
    detail: [
      {
        at: '2026-01-31T12:00:00.000001Z',
        local: '2026-01-31T12:00:00.5',
        day: '0001-01-01',
        hour: '01:02:03.5',
        raw: 'AAH/',
        price: '1.50',
        any: { deep: [1, { x: null }] },
        ratio: [0.5, 'NaN'],
        'cf-ray': 'é"\\',
        inner: { at: ['2026-01-31T12:00:00Z'] },
      },
      {},
    ],
  },
  { id: 'b', detail: [] },
];

describe('records in formats with types', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await openTestApp({ events: rows }, { QUERIES_DIR: folder });
  });
  afterAll(async () => {
    await app?.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const bytesOf = async (target: string) => {
    const response = await app.fetch(`/api/endpoints/query/${target}`, { headers: { 'x-api-key': apiKey } });
    expect(response.status).toBe(200);
    return Buffer.from(await response.arrayBuffer());
  };

  test('a Parquet file has the fields of the record and their types, whatever the rows are', async () => {
    const types = {
      id: 'VARCHAR',
      detail:
        'STRUCT("at" TIMESTAMP WITH TIME ZONE, "local" TIMESTAMP, "day" DATE, "hour" TIME, raw BLOB, price VARCHAR, "any" JSON, ratio DOUBLE[], "cf-ray" VARCHAR, "inner" STRUCT("at" TIMESTAMP WITH TIME ZONE[]))[]',
    };
    const plain = (read: Record<string, unknown>) =>
      Object.fromEntries(
        Object.entries(read).map(([name, type]) => [name, String(type).replaceAll('"', '')]),
      );
    expect(plain(await parquetTypes(await bytesOf('events.all.parquet')))).toEqual(plain(types));
    expect(plain(await parquetTypes(await bytesOf('no.events.parquet')))).toEqual(plain(types));
  });

  test('its values are those of the JSON document', async () => {
    const read = await readParquetText(await bytesOf('events.all.parquet'), [
      { name: 'id', type: 'string', repeated: false },
      { name: 'detail', type: 'record', repeated: true },
    ]);
    expect(read[1]).toEqual({ id: 'b', detail: '[]' });
    const text = String(read[0]?.detail);
    for (const part of [
      '2026-01-31 12:00:00.000001+00',
      '2026-01-31 12:00:00.5',
      '0001-01-01',
      '01:02:03.5',
      String.raw`\x00\x01\xFF`,
      '1.5,',
      '[0.5, NULL]',
      'é',
      "['2026-01-31 12:00:00+00']",
    ])
      expect(text).toContain(part);
  });

  test('an Arrow stream has the same schema with and without rows', async () => {
    const typesIn = (bytes: Uint8Array) => tableFromIPC(bytes).schema.fields.map(({ type }) => String(type));
    const [all, none] = [await bytesOf('events.all.arrow'), await bytesOf('no.events.arrow')];
    expect(typesIn(all)).toEqual([
      'Utf8',
      'List<Struct<{at:Timestamp<MICROSECOND, UTC>, local:Timestamp<MICROSECOND>, day:Date32<DAY>, hour:Time64<MICROSECOND>, raw:Binary, price:Utf8, any:Utf8, ratio:List<Float64>, cf-ray:Utf8, inner:Struct<{at:List<Timestamp<MICROSECOND, UTC>>}>}>>',
    ]);
    expect(typesIn(none)).toEqual(typesIn(all));
    const [row] = readArrow(all, [{ name: 'detail', type: 'record', repeated: false }]);
    expect(row?.detail).toMatchObject([
      { price: '1.5', any: '{"deep":[1,{"x":null}]}', ratio: [0.5, null], 'cf-ray': 'é"\\' },
      { at: null, price: null, ratio: [], inner: null },
    ]);
  });

  test('JSON is as it was: moments are microseconds, whatever a field is named', async () => {
    const [row] = await app.rows('events.all');
    expect(row).toMatchObject({
      detail: [
        { at: 1_769_860_800_000_001, 'cf-ray': 'é"\\', inner: { at: [1_769_860_800_000_000] } },
        { at: null },
      ],
    });
  });
});
