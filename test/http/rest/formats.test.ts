import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import { tableFromIPC } from 'apache-arrow';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseSavedQuery } from '../../../src/catalog/header/parse-saved-query.ts';
import { hasProgram } from '../../support/has-program.ts';
import {
  parquetTypes,
  type ReadRow,
  readArrow,
  readCsv,
  readNdjson,
  readParquet,
  readParquetText,
  readPythonCsv,
  withoutNulls,
} from '../../support/read-formats.ts';
import { apiKey, now, openTestApp, type TestApp } from '../../support/test-app.ts';

const hasPython = hasProgram('python3');

const everyType = `/*---
id: 11111111-1111-4111-8111-111111111111
description: Every type.
max_rows: 4
caching: 900s
columns:
  n: { type: integer, required: true, description: A number. }
  s: { type: string, description: A text. }
  i: { type: integer, description: An integer. }
  f: { type: float, description: A float. }
  d: { type: numeric, description: A decimal. }
  wide: { type: numeric, description: A decimal of more digits than NUMERIC has. }
  b: { type: boolean, description: A truth. }
  ts: { type: timestamp, description: A moment. }
  dt: { type: datetime, description: A date with a time. }
  dd: { type: date, description: A date. }
  t: { type: time, description: A time. }
  bts: { type: bytes, description: Bytes. }
  j: { type: json, description: JSON. }
  r: { type: record, description: A record. }
  rr: { type: record, repeated: true, description: Records. }
  l: { type: integer, repeated: true, description: Integers. }
  lts: { type: timestamp, repeated: true, description: Moments. }
  ls: { type: string, repeated: true, description: Texts. }
prometheus:
  labels: [n, s]
  metrics:
    test_value: { column: f }
    test_seen_total: { column: i, type: counter, help: 'Seen \\ so far.' }
---*/
select
  1 as n, 'a,"b"\\r\\né😀' as s, 9007199254740991 as i, 1.5e300 as f,
  numeric '12345678901234567890123456789.123456789' as d, bignumeric '123456789012345678901234567890.5' as wide, true as b,
  timestamp '2026-01-31 12:00:00.523984+00' as ts, datetime '2026-01-31 12:00:00.5' as dt, date '0001-01-01' as dd,
  time '12:00:00.123456' as t, b'hello\\x00\\xff' as bts, json '{"k":[1,9007199254740993,"x"],"e":1.0}' as j,
  struct('x' as a, 1 as b, cast(null as string) as c, timestamp '2026-01-31 12:00:00+00' as moment) as r,
  [struct(1 as x, ['p', 'q'] as y), struct(2, ['ü'])] as rr, [1, 2] as l,
  [timestamp '2026-01-31 12:00:00.000001+00'] as lts, ['=1+1', ''] as ls
union all
select
  2, '', -9007199254740991, cast('nan' as float64), numeric '-0.000000001', null, false,
  timestamp '0001-01-01 00:00:00+00', datetime '9999-12-31 23:59:59.999999', date '9999-12-31', time '00:00:00', b'',
  json '"text"', struct('', 2, 'z', null), [], [], [], []
union all
select 3, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null
union all
select
  4, ' =cmd', 0, cast('inf' as float64), numeric '100', bignumeric '2', true,
  timestamp '2255-01-01 00:00:00.000001+00', datetime '2026-01-31 12:00:00', date '2026-01-31', time '01:02:03', b'x',
  json 'null', struct('y', 3, 'z', null), [struct(3, cast([] as array<string>))], [5], [], ['a']
union all
select 5, 'cut', 0, 0, null, null, null, null, null, null, null, null, null, null, null, null, null, null
order by n
`;

const sameLabels = `/*---
id: 11111111-1111-4111-8111-222222222222
description: Two rows of one label.
max_rows: 10
caching: 900s
columns:
  s: { type: string, description: A text. }
  f: { type: float, description: A float. }
prometheus: { labels: [s], metrics: { test_value: { column: f } } }
---*/
select 'a' as s, 1.0 as f union all select 'a', 2.0
`;

const emptyLabel = sameLabels
  .replace('222222222222', '777777777777')
  .replace(/select.*/, "select '' as s, 1.0 as f union all select null, 2.0");

const oneColumn = `/*---
id: 11111111-1111-4111-8111-333333333333
description: One column with NULL.
max_rows: 10
caching: disabled
columns:
  s: { type: string, description: A text. }
---*/
select s from unnest(['a', null, '']) as s with offset as place order by place
`;

/** JSON deeper than the stack. */
const deep = `/*---
id: 11111111-1111-4111-8111-555555555555
description: Deep JSON in a record.
max_rows: 10
caching: disabled
columns:
  r: { type: record, description: A record. }
---*/
select struct(parse_json(concat(repeat('[', 900), repeat(']', 900))) as j) as r
`;

const commonTables = `/*---
id: 11111111-1111-4111-8111-666666666666
aliases: [common.alias]
description: A common table.
max_rows: 10
caching: 900s
query_sandboxing: enabled
columns:
  n: { type: integer, description: A number. }
prometheus: { labels: [n], metrics: { test_n: { column: n } } }
---*/
with numbers as (select n from unnest([1, 2]) as n)
select n from numbers order by n
`;

const markedTexts = `/*---
id: 11111111-1111-4111-8111-888888888888
description: Texts with a byte-order mark.
max_rows: 10
caching: disabled
columns:
  s: { type: string, description: A text. }
  l: { type: string, repeated: true, description: Texts. }
---*/
select s, [s] as l from unnest(['\\ufeff', '\\ufeffa text of more than twelve bytes']) as s with offset as place order by place
`;

/** Its name is that of `every.types` with an extension. */
const csvInName = `/*---
id: 11111111-1111-4111-8111-444444444444
description: A query whose name looks like a format.
max_rows: 10
caching: disabled
columns:
  n: { type: integer, description: A number. }
---*/
select 7 as n
`;

const path = '/api/endpoints/query';

describe('formats of a result', () => {
  let folder: string;
  let app: TestApp;
  let rows: readonly ReadRow[];
  const { query } = parseSavedQuery('every.types', 'every.types.sql', everyType);
  const columns = query?.columns ?? [];
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'querygate-queries-'));
    cpSync('queries', folder, { recursive: true });
    writeFileSync(join(folder, 'every.types.sql'), everyType);
    writeFileSync(join(folder, 'every.same-labels.sql'), sameLabels);
    writeFileSync(join(folder, 'every.empty-label.sql'), emptyLabel);
    writeFileSync(join(folder, 'every.one-column.sql'), oneColumn);
    writeFileSync(join(folder, 'every.types.ndjson.sql'), csvInName);
    writeFileSync(join(folder, 'every.deep.sql'), deep);
    writeFileSync(join(folder, 'every.mark.sql'), markedTexts);
    writeFileSync(join(folder, 'every.common.sql'), commonTables);
    app = await openTestApp({}, { QUERIES_DIR: folder });
    rows = await app.rows('every.types');
  });
  afterAll(async () => {
    await app?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const get = (target: string, headers: Record<string, string> = {}, method = 'GET') =>
    app.fetch(`${path}/${target}`, { method, headers: { 'x-api-key': apiKey, ...headers } });
  const bytesOf = async (target: string, headers: Record<string, string> = {}) => {
    const response = await get(target, headers);
    expect(response.status, target).toBe(200);
    return new Uint8Array(await response.arrayBuffer());
  };
  const textOf = async (target: string) => Buffer.from(await bytesOf(target)).toString();

  test('the JSON document is what the others are compared with', () => {
    expect(rows).toHaveLength(4);
    expect(rows[2]).toEqual({ n: 3, rr: [], l: [], lts: [], ls: [] });
    expect(rows[1]).not.toHaveProperty('f');
    expect(rows.map(({ wide }) => wide)).toEqual([
      '123456789012345678901234567890.5',
      undefined,
      undefined,
      '2',
    ]);
  });

  test('Parquet, read by DuckDB, has the rows of the JSON document and the types of the header', async () => {
    const bytes = await bytesOf('every.types.parquet');
    expect(withoutNulls(await readParquet(bytes, columns))).toEqual(withMoment('2026-01-31 12:00:00+00'));
    expect(await parquetTypes(bytes)).toEqual({
      n: 'BIGINT',
      s: 'VARCHAR',
      i: 'BIGINT',
      f: 'DOUBLE',
      d: 'DECIMAL(38,9)',
      wide: 'VARCHAR',
      b: 'BOOLEAN',
      ts: 'TIMESTAMP WITH TIME ZONE',
      dt: 'TIMESTAMP',
      dd: 'DATE',
      t: 'TIME',
      bts: 'BLOB',
      j: 'JSON',
      r: 'STRUCT(a VARCHAR, b BIGINT, c VARCHAR, moment TIMESTAMP WITH TIME ZONE)',
      rr: 'STRUCT(x BIGINT, y VARCHAR[])[]',
      l: 'BIGINT[]',
      lts: 'TIMESTAMP WITH TIME ZONE[]',
      ls: 'VARCHAR[]',
    });
  });

  test('an Arrow stream, read by Apache Arrow, has the rows of the JSON document and the types of the header', async () => {
    const bytes = await bytesOf('every.types?format=arrow');
    // Apache Arrow gives moments in records as milliseconds.
    expect(withoutNulls(readArrow(bytes, columns))).toEqual(withMoment(1_769_860_800_000));
    const types = tableFromIPC(bytes).schema.fields.map(({ name, type }) => `${name} ${type}`);
    expect(types).toEqual([
      'n Int64',
      's Utf8',
      'i Int64',
      'f Float64',
      'd Decimal[38e+9]',
      'wide Utf8',
      'b Bool',
      'ts Timestamp<MICROSECOND, UTC>',
      'dt Timestamp<MICROSECOND>',
      'dd Date32<DAY>',
      't Time64<MICROSECOND>',
      'bts Binary',
      'j Utf8',
      'r Struct<{a:Utf8, b:Int64, c:Utf8, moment:Timestamp<MICROSECOND, UTC>}>',
      'rr List<Struct<{x:Int64, y:List<Utf8>}>>',
      'l List<Int64>',
      'lts List<Timestamp<MICROSECOND, UTC>>',
      'ls List<Utf8>',
    ]);
    const json = tableFromIPC(bytes).schema.fields.find(({ name }) => name === 'j');
    expect(json?.metadata.get('ARROW:extension:name')).toBe('arrow.json');
  });

  /** The rows of the JSON document; the one moment that a record has is spelled as a reader spells it. */
  const withMoment = (spelled: unknown) =>
    withoutNulls(
      rows.map((row) => {
        const r = row.r as ReadRow | undefined;
        return r?.moment == null ? row : { ...row, r: { ...r, moment: spelled } };
      }),
    );

  /** A cell of the JSON document as CSV has it. */
  const cellText = (value: unknown, { type, repeated }: (typeof columns)[number]): string | undefined => {
    if (value === undefined || value === null) return undefined;
    if (repeated || type === 'record' || type === 'json') return JSON.stringify(value);
    if (type !== 'timestamp') return String(value);
    const micros = BigInt(value as number);
    const seconds = micros / 1_000_000n - (micros % 1_000_000n < 0n ? 1n : 0n);
    const fraction = String(micros - seconds * 1_000_000n).padStart(6, '0');
    return `${new Date(Number(seconds) * 1000).toISOString().slice(0, 19)}.${fraction}Z`;
  };
  const cellsOf = (row: ReadRow) =>
    Object.fromEntries(columns.map((column) => [column.name, cellText(row[column.name], column)]));

  test('CSV, read by DuckDB, has the cells of the JSON document; NULL and an empty text differ', async () => {
    const read = await readCsv(await bytesOf('every.types.csv'));
    const expected = rows.map(cellsOf);
    // JSON.stringify would lose digits of nested numbers.
    if (expected[0]) expected[0].j = '{"e":1.0,"k":[1,9007199254740993,"x"]}';
    expect(withoutNulls(read)).toEqual(expected.map((row) => JSON.parse(JSON.stringify(row))));
    expect(expected[1]?.s).toBe('');
  });

  test.skipIf(!hasPython)("CSV, read by Python's csv, has the cells of the JSON document", async () => {
    const read = readPythonCsv(await bytesOf('every.types.csv'));
    const expected = rows
      .map(cellsOf)
      .map((row) => Object.fromEntries(Object.entries(row).map(([name, text]) => [name, text ?? ''])));
    if (expected[0]) expected[0].j = '{"e":1.0,"k":[1,9007199254740993,"x"]}';
    expect(read).toEqual(expected);
  });

  test('csv-bom begins with a byte-order mark, csv does not', async () => {
    const [plain, marked] = [await textOf('every.types.csv'), await bytesOf('every.types?format=csv-bom')];
    expect([...marked.subarray(0, 3)]).toEqual([0xef, 0xbb, 0xbf]);
    expect(Buffer.from(marked.subarray(3)).toString()).toBe(plain);
    expect(plain.startsWith('n,s,i,')).toBe(true);
  });

  test.skipIf(!hasPython)("Python's csv reads csv-bom as it reads csv", async () => {
    const [plain, marked] = [await bytesOf('every.types.csv'), await bytesOf('every.types?format=csv-bom')];
    expect(readPythonCsv(marked, 'utf-8-sig')).toEqual(readPythonCsv(plain));
  });

  test('a byte-order mark at the beginning of a text is a part of it', async () => {
    const texts = ['\uFEFF', '\uFEFFa text of more than twelve bytes'];
    const expected = texts.map((s) => ({ s, l: [s] }));
    expect(await app.rows('every.mark')).toEqual(expected);
    expect(await app.data('{ everyMark { rows { s l } } }')).toEqual({ everyMark: { rows: expected } });
    expect(await textOf('every.mark.csv')).toContain(`\r\n"${texts[1]}",`);
  });

  test('cells that a spreadsheet would take for formulas stay as they are', async () => {
    expect(await textOf('every.types.csv')).toContain('\r\n4," =cmd",');
  });

  test('a NULL in the only column is not an empty line, which readers skip', async () => {
    const csv = await textOf('every.one-column.csv');
    expect(csv).toBe('s\r\na\r\n""\r\n""\r\n');
    expect(await readCsv(Buffer.from(csv))).toHaveLength(3);
  });

  test('JSON in a record is text, however deep it is', async () => {
    const [row] = (await app.rows('every.deep')) as [{ r: { j: unknown } }];
    const text = JSON.stringify(row.r);
    const [read] = readArrow(await bytesOf('every.deep.arrow'), [
      { name: 'r', type: 'record', repeated: false },
    ]);
    expect(read).toEqual({ r: { j: JSON.stringify(row.r.j) } });
    expect(await parquetTypes(await bytesOf('every.deep.parquet'))).toEqual({ r: 'STRUCT(j JSON)' });
    expect(await readCsv(await bytesOf('every.deep.csv'))).toEqual([{ r: text }]);
  });

  test('NDJSON has the rows of the JSON document, byte for byte', async () => {
    const ndjson = await textOf('every.types?format=ndjson');
    const json = await textOf('every.types');
    expect(ndjson.endsWith('}\n')).toBe(true);
    expect(json).toBe(`{"result":[${ndjson.trimEnd().replaceAll('\n', ',')}]}`);
    expect(await readNdjson(Buffer.from(ndjson))).toEqual(rows);
  });

  test.skipIf(!hasProgram('promtool'))(
    'Prometheus text is accepted by promtool; NULL and NaN give no sample',
    async () => {
      const response = await get('every.types.prom');
      const text = await response.text();
      expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
      expect(text).toBe(
        [
          '# HELP test_value A float.',
          '# TYPE test_value gauge',
          'test_value{n="1",s="a,\\"b\\"\r\\né😀"} 1.5e+300',
          '# HELP test_seen_total Seen \\\\ so far.',
          '# TYPE test_seen_total counter',
          'test_seen_total{n="1",s="a,\\"b\\"\r\\né😀"} 9007199254740991',
          'test_seen_total{n="2",s=""} -9007199254740991',
          'test_seen_total{n="4",s=" =cmd"} 0',
          '',
        ].join('\n'),
      );
      const { status, stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], {
        input: text,
        encoding: 'utf8',
      });
      expect(`${stdout}${stderr}`).toBe('');
      expect(status).toBe(0);
    },
  );

  test.each([
    ['every.same-labels', 's'],
    ['every.empty-label', 'none'],
  ])('rows of %s have the same labels, and are refused as Prometheus text only', async (name, labels) => {
    const response = await get(`${name}.prom`);
    expect(response.status).toBe(502);
    const message = expect.stringContaining(`the same labels, ${labels}:`);
    expect(await response.json()).toMatchObject({ error: { code: 'ENGINE_FAILED', message } });
    expect((await get(`${name}.csv`)).status).toBe(200);
  });

  test.each([
    ['csv', 'text/csv; charset=utf-8; header=present', 'csv'],
    ['csv-bom', 'text/csv; charset=utf-8; header=present', 'csv'],
    ['ndjson', 'application/x-ndjson; charset=utf-8', 'ndjson'],
    ['jsonl', 'application/x-ndjson; charset=utf-8', 'ndjson'],
    ['parquet', 'application/vnd.apache.parquet', 'parquet'],
    ['arrow', 'application/vnd.apache.arrow.stream', 'arrows'],
    ['arrows', 'application/vnd.apache.arrow.stream', 'arrows'],
  ])('%s has its own type and file name', async (name, type, extension) => {
    const { headers } = await get(`every.types?format=${name}`);
    expect(headers.get('content-type')).toBe(type);
    const moment = `${now.toISOString().slice(0, 19).replaceAll(':', '')}Z`;
    expect(headers.get('content-disposition')).toBe(
      `attachment; filename="every.types-${moment}.${extension}"`,
    );
    expect(Number(headers.get('content-length'))).toBeGreaterThan(0);
  });

  test('each format has an ETag of its own, a 304, and the caching headers of the JSON document', async () => {
    const etags = new Set<string>();
    const { headers: ofJson } = await get('every.types');
    for (const name of ['json', 'csv', 'csv-bom', 'ndjson', 'parquet', 'arrow', 'prom']) {
      const { headers } = await get(`every.types?format=${name}`);
      const etag = headers.get('etag') ?? '';
      etags.add(etag);
      for (const header of ['cache-control', 'cache-status', 'age', 'vary', 'querygate-computed-at']) {
        expect(headers.get(header), `${name} ${header}`).toBe(ofJson.get(header));
      }
      const unchanged = await get(`every.types?format=${name}`, { 'if-none-match': etag });
      expect(unchanged.status, name).toBe(304);
      expect(unchanged.headers.get('etag')).toBe(etag);
      expect(await unchanged.text()).toBe('');
      expect(
        (await get(`every.types?format=${name}`, { 'if-none-match': ofJson.get('etag') ?? '' })).status,
      ).toBe(name === 'json' ? 304 : 200);
    }
    expect(etags.size).toBe(7);
  });

  test('HEAD gives the headers without a body', async () => {
    const response = await get('every.types.parquet', {}, 'HEAD');
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/vnd.apache.parquet');
    expect(await response.text()).toBe('');
  });

  test('texts are compressed as the JSON document is; Parquet is compressed inside', async () => {
    const plain = await textOf('every.types.arrow');
    const zstd = await get('every.types.arrow', { 'accept-encoding': 'zstd, gzip' });
    expect(zstd.headers.get('content-encoding')).toBe('zstd');
    expect(zstdDecompressSync(await zstd.bytes()).toString()).toBe(plain);
    const gzip = await get('every.types.arrow', { 'accept-encoding': 'gzip' });
    expect(gzip.headers.get('content-encoding')).toBe('gzip');
    expect(gunzipSync(await gzip.bytes()).toString()).toBe(plain);
    const parquet = await get('every.types.parquet', { 'accept-encoding': 'zstd, gzip' });
    expect(parquet.headers.get('content-encoding')).toBeNull();
  });

  test.each([
    ['no Accept', undefined, 'application/json; charset=utf-8'],
    ['any type', '*/*', 'application/json; charset=utf-8'],
    ['an empty Accept', '', 'application/json; charset=utf-8'],
    ['that of axios', 'application/json, text/plain, */*', 'application/json; charset=utf-8'],
    [
      'that of a browser',
      'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8',
      'application/json; charset=utf-8',
    ],
    ['CSV', 'text/csv', 'text/csv; charset=utf-8; header=present'],
    ['CSV before any', 'text/csv, */*', 'text/csv; charset=utf-8; header=present'],
    ['a weight', 'application/json;q=0.1, Text/CSV;q=0.5', 'text/csv; charset=utf-8; header=present'],
    ['any text', 'text/*', 'text/csv; charset=utf-8; header=present'],
    ['any application', 'application/*', 'application/json; charset=utf-8'],
    ['all but JSON', 'application/json;q=0, */*', 'text/csv; charset=utf-8; header=present'],
    ['NDJSON', 'application/x-ndjson', 'application/x-ndjson; charset=utf-8'],
    ['Parquet', 'application/vnd.apache.parquet', 'application/vnd.apache.parquet'],
    ['Arrow', 'application/vnd.apache.arrow.stream', 'application/vnd.apache.arrow.stream'],
    [
      'that of Prometheus',
      'application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,application/openmetrics-text;version=0.0.1;q=0.5,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2',
      'text/plain; version=0.0.4; charset=utf-8',
    ],
  ])('Accept: %s', async (_, accept, type) => {
    const response = await get('every.types', accept === undefined ? {} : { accept });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe(type);
    expect(response.headers.get('vary')).toBe('X-API-KEY, Authorization, Accept-Encoding, Accept');
  });

  test.each([
    ['an unknown parameter', 'every.types?format=xml', {}, 'format: there is no such format; '],
    ['an unknown extension', 'every.types.xlsx', {}, 'The path ends in the extension of no format; '],
    ['an extension in upper case', 'every.types.CSV', {}, 'The path ends in '],
    ['an unknown media type', 'every.types', { accept: 'text/html' }, 'Accept: it names no media type that '],
    [
      'a former media type',
      'every.types',
      { accept: 'application/parquet' },
      'Accept: it names no media type that ',
    ],
    ['media types of weight 0', 'every.types', { accept: '*/*;q=0' }, 'Accept: '],
    [
      'Prometheus text that is not declared',
      'every.one-column.prom',
      {},
      'every.one-column has no Prometheus',
    ],
    ['the same by Accept', 'every.one-column', { accept: 'text/plain' }, 'Accept: '],
    ['another version of it', 'every.types', { accept: 'text/plain;version=1.0.0' }, 'Accept: '],
  ])('%s is 406, and the message says what it is', async (_, target, headers, problem) => {
    const response = await get(target, headers);
    expect(response.status).toBe(406);
    const { error } = (await response.json()) as { error: { code: string; message: string } };
    expect(error.code).toBe('NOT_ACCEPTABLE');
    expect(error.message.slice(0, problem.length)).toBe(problem);
    expect(error.message).toContain('by media type in Accept: application/json, text/csv, ');
    expect(error.message).toContain('application/vnd.apache.parquet, application/vnd.apache.arrow.stream');
    expect(error.message).toContain('csv, csv-bom, ndjson, jsonl, parquet, arrow, arrows');
    expect(error.message.endsWith('prometheus, prom')).toBe(target.startsWith('every.types'));
  });

  test('the longest text that addresses a query is its address', async () => {
    expect(await (await get('every.types.ndjson')).json()).toEqual({ result: [{ n: 7 }] });
    expect(await textOf('every.types.ndjson.csv')).toBe('n\r\n7\r\n');
    const { id } = query ?? {};
    expect(await textOf(`${id?.toUpperCase()}.csv`)).toBe(await textOf('every.types.csv'));
  });

  test.each(['every.typ.csv', 'every.types.csv.csv', 'every.types.staging', 'every.types.', '.csv'])(
    '%s is no query',
    async (target) => {
      const response = await get(target);
      expect(response.status).toBe(404);
      expect(await response.json()).toMatchObject({ error: { code: 'UNKNOWN_QUERY' } });
    },
  );

  test("a caller's SQL has the columns of its SELECT in every format but Prometheus text", async () => {
    const target = `every.common?sql=${encodeURIComponent('select n * 2 as twice, [n] as list, timestamp_seconds(n) as ts from numbers order by n')}`;
    expect(await textOf(`${target}&format=csv`)).toBe(
      'twice,list,ts\r\n2,[1],1970-01-01T00:00:01.000000Z\r\n4,[2],1970-01-01T00:00:02.000000Z\r\n',
    );
    expect(await parquetTypes(await bytesOf(`${target}&format=parquet`))).toEqual({
      twice: 'BIGINT',
      list: 'BIGINT[]',
      ts: 'TIMESTAMP WITH TIME ZONE',
    });
    expect(tableFromIPC(await bytesOf(`${target}&format=arrow`)).numRows).toBe(2);
    expect((await get(`${target}&format=prom`)).status).toBe(406);
    expect((await get('every.common.prom')).status).toBe(200);
  });

  test("an integer beyond 2^53 of a caller's SQL is text in JSON, and a number in formats with types", async () => {
    const target = `every.common?sql=${encodeURIComponent('select 9007199254740993 as big, [9007199254740993, 1] as bigs from numbers limit 1')}`;
    const columns = [
      { name: 'big', type: 'string', repeated: false },
      { name: 'bigs', type: 'string', repeated: true },
    ] as const;
    expect(await (await get(target)).json()).toEqual({
      result: [{ big: '9007199254740993', bigs: ['9007199254740993', 1] }],
    });
    expect(await textOf(`${target}&format=csv`)).toBe(
      'big,bigs\r\n9007199254740993,"[""9007199254740993"",1]"\r\n',
    );
    const table = tableFromIPC(await bytesOf(`${target}&format=arrow`));
    expect(table.getChild('big')?.get(0)).toBe(9007199254740993n);
    expect([...(table.getChild('bigs')?.get(0) ?? [])]).toEqual([9007199254740993n, 1n]);
    const parquet = await bytesOf(`${target}&format=parquet`);
    expect(await parquetTypes(parquet)).toEqual({ big: 'BIGINT', bigs: 'BIGINT[]' });
    expect(await readParquetText(parquet, columns)).toEqual([
      { big: '9007199254740993', bigs: '[9007199254740993, 1]' },
    ]);
  });

  test('aliases take extensions too', async () => {
    expect(await textOf('common.alias.csv')).toBe('n\r\n1\r\n2\r\n');
  });

  test('the parameter precedes the extension, which precedes Accept; an empty one is absent', async () => {
    const typeOf = async (target: string, headers = {}) =>
      (await get(target, headers)).headers.get('content-type')?.split(';')[0];
    expect(await typeOf('every.types.csv?format=json')).toBe('application/json');
    expect(await typeOf('every.types.csv', { accept: 'application/json' })).toBe('text/csv');
    expect(await typeOf('every.types.csv?format=')).toBe('text/csv');
    expect(await typeOf('every.types?format=', { accept: 'text/csv' })).toBe('text/csv');
  });

  test('a repeated parameter is refused', async () => {
    const response = await get('every.types?format=csv&format=csv');
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      error: { code: 'INVALID_PARAMETER', parameter: 'format' },
    });
  });

  test('headers say how many rows there are, whether they were cut, and when they were computed', async () => {
    for (const target of ['every.types', 'every.types.csv']) {
      const { headers } = await get(target);
      expect(headers.get('querygate-row-count')).toBe('4');
      expect(headers.get('querygate-truncated')).toBe('true');
      expect(headers.get('querygate-computed-at')).toBe(now.toISOString());
      expect(headers.get('querygate-cost')).toBeNull();
    }
    expect((await get('every.one-column')).headers.get('querygate-truncated')).toBe('false');
  });

  test('a conversion is kept, and counted with the results', async () => {
    const target = 'usage.api-counts?project=kept&interval=daily';
    await get(target);
    const before = app.counters.bytes;
    const { byteLength } = await bytesOf(`${target}&format=parquet`);
    const after = app.counters.bytes;
    expect(after - before).toBeGreaterThanOrEqual(byteLength);
    await bytesOf(`${target}&format=parquet`);
    expect(app.counters.bytes).toBe(after);
    await bytesOf('every.one-column?format=parquet');
    expect(app.counters.bytes, 'a query with caching: disabled').toBe(after);
  });

  test('without a place for temporary files Parquet is refused, other formats are not', async () => {
    const { TMPDIR } = process.env;
    // It cannot be made, as Node makes the folder of its compile cache.
    process.env.TMPDIR = '/proc/nowhere';
    try {
      const response = await get('every.one-column.parquet');
      expect(response.status).toBe(503);
      expect(response.headers.get('retry-after')).toBe('5');
      expect(await response.json()).toMatchObject({ error: { code: 'OVERLOADED' } });
      expect((await get('every.one-column.arrow')).status).toBe(200);
    } finally {
      if (TMPDIR === undefined) delete process.env.TMPDIR;
      else process.env.TMPDIR = TMPDIR;
    }
    expect((await get('every.one-column.parquet')).status).toBe(200);
  });

  test('an error is JSON whatever the format', async () => {
    const response = await get('logs.all.csv');
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { code: 'MISSING_PARAMETER' } });
  });

  test('a result without rows is empty in every format', async () => {
    const empty = 'logs.all?project=nobody';
    expect(await textOf(`${empty}&format=csv`)).toBe('id,timestamp,event_message,metadata\r\n');
    expect(await textOf(`${empty}&format=ndjson`)).toBe('');
    expect(tableFromIPC(await bytesOf(`${empty}&format=arrow`)).numRows).toBe(0);
    expect(
      await readParquet(await bytesOf(`${empty}&format=parquet`), [
        { name: 'id', type: 'string', repeated: false },
      ]),
    ).toEqual([]);
  });
});
