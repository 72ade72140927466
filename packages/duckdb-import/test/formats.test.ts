import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Field, TableSchema } from '@querygate/bigquery-sql/table-schema';
import { openImport } from '../src/open-import.ts';
import { describeReason } from '../src/read/describe-problem.ts';
import { openTestStore, type TestStore } from './test-store.ts';
import { atNight } from '../../../test/support/nightly.ts';

let folder: string;
/** That of the last import, or a new one. */
let store: TestStore | undefined;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'data-'));
  store = undefined;
});
afterEach(() => {
  store?.close();
  rmSync(folder, { recursive: true });
});

const field = (name: string, type: Field['type'], fields?: readonly Field[]): Field => ({
  name,
  type,
  mode: fields ? 'REPEATED' : 'NULLABLE',
  ...(fields ? { fields } : {}),
});

const logs: TableSchema = {
  name: 'logs',
  fields: [
    field('id', 'STRING'),
    field('ts', 'TIMESTAMP'),
    field('status', 'INTEGER'),
    field('ratio', 'FLOAT'),
    field('ok', 'BOOLEAN'),
    field('metadata', 'RECORD', [
      field('userAgent', 'STRING'),
      field('seen', 'TIMESTAMP'),
      field('request', 'RECORD', [field('url', 'STRING'), field('status_code', 'INTEGER')]),
    ]),
  ],
};
const others: TableSchema = { name: 'others', fields: [field('id', 'STRING')] };

const write = (name: string, content: string | Buffer) => {
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(join(folder, name), content);
};

const query = async (sql: string) => {
  store ??= await openTestStore([]);
  return store.queryJson(sql);
};

/** Imports the folder into an empty store. Returns the problems of whole files, by table, and all reported problems. */
const importAll = async (tables: readonly TableSchema[]) => {
  const scratch = mkdtempSync(join(tmpdir(), 'scratch-'));
  store?.close();
  const opened = await openTestStore(tables);
  store = opened;
  const reported: string[] = [];
  const data = await openImport({
    connect: opened.connect,
    dataDir: folder,
    scratch,
    tables: opened.tables,
    onRepeatedRecord: opened.onRepeatedRecord,
    events: { problem: (message) => reported.push(message) },
    signal: new AbortController().signal,
  });
  await data.sync();
  // An incomplete last line is rejected when it has not changed since the sync before.
  await data.sync();
  await data.close();
  rmSync(scratch, { recursive: true });
  return { problems: data.problems, reported };
};

const loadData = async (tables: readonly TableSchema[]) => (await importAll(tables)).problems;

/** Loads `logs` and `others` from the folder; neither may have a problem. */
const load = async (tables: readonly TableSchema[] = [logs, others]) => {
  expect(await importAll(tables)).toEqual({ problems: new Map(), reported: [] });
};

/** The value one column of `logs` has for each of these JSON texts. */
const stored = async (column: string, ...values: readonly string[]) => {
  write('logs.ndjson', values.map((value) => `{"${column}":${value}}\n`).join(''));
  await load();
  return (await query(`SELECT "${column}"::VARCHAR FROM logs`)).map(([value]) => value);
};

/** The problem of `logs`, when the folder has one file for it that cannot be read as a whole. */
const problem = async (name: string, content: string | Buffer) => {
  write(name, content);
  write('others.ndjson', '{"id":"unaffected"}\n');
  const { problems, reported } = await importAll([logs, others]);
  expect([...problems.keys()]).toEqual(['logs']);
  expect(reported).toEqual([problems.get('logs')]);
  expect(await query('SELECT count(*) FROM logs')).toEqual([['0']]);
  expect(await query('SELECT id FROM others')).toEqual([['unaffected']]);
  return problems.get('logs');
};

/** The first report about `logs`, when the folder has one file for it with a row that cannot be read. */
const rejected = async (name: string, content: string | Buffer) => {
  write(name, content);
  write('others.ndjson', '{"id":"unaffected"}\n');
  const { problems, reported } = await importAll([logs, others]);
  expect(problems).toEqual(new Map());
  expect(await query('SELECT id FROM others')).toEqual([['unaffected']]);
  return reported[0];
};

describe('tables', () => {
  test('without files are empty and have their declared types', async () => {
    await load();
    const rows = await query(
      `SELECT column_name, data_type FROM information_schema.columns
         WHERE table_name = 'logs' AND table_schema = 'main'`,
    );
    expect(rows).toEqual([
      ['id', 'VARCHAR'],
      ['ts', 'TIMESTAMP WITH TIME ZONE'],
      ['status', 'BIGINT'],
      ['ratio', 'DOUBLE'],
      ['ok', 'BOOLEAN'],
      [
        'metadata',
        'STRUCT(userAgent VARCHAR, seen TIMESTAMP WITH TIME ZONE, request STRUCT(url VARCHAR, status_code BIGINT)[])[]',
      ],
    ]);
  });

  test('files of undeclared tables, hidden files and other formats are ignored', async () => {
    write('unknown.ndjson', 'not even JSON');
    write('logs/_SUCCESS', '');
    write('logs/.part-0.ndjson.crc', 'x');
    write('logs/_temporary/part-0.ndjson', 'not JSON');
    write('logs/README.md', 'x');
    write('logs.ndjson', '{"id":"1"}\n');
    await load();
    expect(await query('SELECT id FROM logs')).toEqual([['1']]);
  });

  test('names and keys may have any characters that a file system and JSON allow', async () => {
    const odd: TableSchema = { name: "it's", fields: [field("it's", 'STRING'), field('a "b"', 'STRING')] };
    write(String.raw`it's/a[1]*?'\_b.ndjson`, `{"it's":"x","a \\"b\\"":"y"}\n`);
    await load([odd]);
    expect(await query(`SELECT * FROM "it's"`)).toEqual([['x', 'y']]);
  });
});

describe('links, and files that cannot be examined', () => {
  test('a link to itself is a problem of its table alone', async () => {
    symlinkSync('logs.ndjson', join(folder, 'logs.ndjson'));
    write('others.ndjson', '{"id":"1"}\n');
    const problems = await loadData([logs, others]);
    expect([...problems]).toEqual([['logs', 'logs.ndjson: cannot be read: ELOOP']]);
    expect(await query('SELECT id FROM others')).toEqual([['1']]);
  });

  test('below a folder it is reported with its name, and the files beside it are imported', async () => {
    write('logs/a.ndjson', '{"id":"1"}\n');
    symlinkSync('b', join(folder, 'logs', 'b'));
    expect([...(await loadData([logs, others]))]).toEqual([['logs', 'logs/b: cannot be read: ELOOP']]);
    expect(await query('SELECT count(*) FROM logs')).toEqual([['1']]);
  });

  test('a link to nothing is a problem of its table alone', async () => {
    write('elsewhere/a.ndjson', '{"id":"1"}\n');
    symlinkSync('elsewhere/a.ndjson', join(folder, 'others.ndjson'));
    symlinkSync('nothing', join(folder, 'logs.ndjson'));
    expect([...(await loadData([logs, others]))]).toEqual([['logs', 'logs.ndjson: is a link to nothing']]);
    expect(await query('SELECT id FROM others')).toEqual([['1']]);
  });

  test('of no table it is ignored', async () => {
    symlinkSync('unknown.ndjson', join(folder, 'unknown.ndjson'));
    mkdirSync(join(folder, 'logs'));
    symlinkSync('.hidden', join(folder, 'logs', '.hidden'));
    await load();
  });

  test('a link to a folder above it does not read files twice', async () => {
    write('logs/a.ndjson', '{"id":"1"}\n');
    symlinkSync('..', join(folder, 'logs', 'up'));
    symlinkSync('.', join(folder, 'logs', 'same'));
    await load([logs]);
    expect(await query('SELECT id FROM logs')).toEqual([['1']]);
  });

  test('links to files and folders elsewhere are followed', async () => {
    write('elsewhere/a.ndjson', '{"id":"1"}\n');
    symlinkSync('elsewhere', join(folder, 'logs'));
    symlinkSync('elsewhere/a.ndjson', join(folder, 'others.ndjson'));
    await load();
    expect(await query('SELECT id FROM logs UNION ALL SELECT id FROM others')).toEqual([['1'], ['1']]);
  });

  test('no permission to read Parquet is said as of other files', () => {
    write('logs.parquet', 'PAR1');
    const path = join(folder, 'logs.parquet');
    const error = new Error(`IO Error: Cannot open file "${path}": Permission denied`);
    expect(describeReason(error, { name: 'logs.parquet', path })).toMatch(
      /^cannot be read \(EACCES\): user \d+, .*: change owner or mode \(chown, chmod\)$/,
    );
  });

  test.skipIf(process.getuid?.() === 0)('no permission is a problem of its table alone', async () => {
    write('logs/a.ndjson', '{}\n');
    write('others.ndjson', '{}\n');
    chmodSync(join(folder, 'logs'), 0o000);
    chmodSync(join(folder, 'others.ndjson'), 0o000);
    const more = { ...others, name: 'more' };
    write('more.parquet', 'PAR1');
    chmodSync(join(folder, 'more.parquet'), 0o000);
    const problems = await loadData([logs, others, more]);
    expect(problems.get('more')).toMatch(/^more\.parquet: cannot be read \(EACCES\): user .*mode 0: /);
    chmodSync(join(folder, 'logs'), 0o700);
    expect(problems.get('logs')).toMatch(
      /^logs: cannot be read \(EACCES\): user \d+, .*: change owner or mode \(chown, chmod\)$/,
    );
    expect(problems.get('others')).toMatch(
      /^others\.ndjson: cannot be read \(EACCES\): user .*owns it, with mode 0: /,
    );
  });
});

describe('formats', () => {
  const row = '{"id":"1","metadata":[{"userAgent":"curl"}]}\n';

  test.each([
    ['logs.ndjson', row],
    ['logs.jsonl', row],
    ['LOGS.NDJSON', row],
    ['logs/deep/er/part-0.ndjson', row],
    ['logs.ndjson.gz', gzipSync(row)],
    ['logs.ndjson.zst', zstdCompressSync(row)],
    ['two gzip members.ndjson.gz', Buffer.concat([gzipSync(row.slice(0, 9)), gzipSync(row.slice(9))])],
    ['logs.json', row],
    ['logs.json', `[${row}]`],
    ['logs.json', JSON.stringify(JSON.parse(row), null, 2)],
    ['logs.csv', 'id,metadata\n1,"[{""userAgent"":""curl""}]"\n'],
    ['logs.csv.gz', gzipSync('id,metadata\n1,"[{""userAgent"":""curl""}]"\n')],
    ['logs.csv.zst', zstdCompressSync('id,metadata\n1,"[{""userAgent"":""curl""}]"\n')],
  ])('%s is imported', async (name, content) => {
    write(name.replace('two gzip members', 'logs'), content);
    await load();
    expect(await query('SELECT id, metadata[1]."userAgent" FROM logs')).toEqual([['1', 'curl']]);
  });

  test('integers of both signs, and of unsigned types, are INT64 in every format', async () => {
    const table: TableSchema = { name: 'logs', fields: [field('n', 'INTEGER')] };
    const [max, min] = ['9223372036854775807', '-9223372036854775808'];
    const numbers = ['-3', '4', max, min];
    const lines = numbers.map((n) => `{"n":${n}}\n`).join('');
    write('logs/1.ndjson', lines);
    write('logs/2.json', `[${numbers.map((n) => `{"n":${n}}`).join()}]`);
    write('logs/3.csv', `n\n${numbers.join('\n')}\n`);
    write('logs/4.ndjson.gz', gzipSync(lines));
    write('logs/5.ndjson.zst', zstdCompressSync(lines));
    await query(`COPY (SELECT unnest([-3, 4, ${max}, ${min}]::BIGINT[]) AS n) TO '${folder}/logs/6.parquet'`);
    await load([table]);
    expect(await query('SELECT n, count(*) FROM logs GROUP BY n ORDER BY n')).toEqual(
      [min, '-3', '4', max].map((n) => [n, '6']),
    );
    await query(
      `COPY (SELECT unnest([4, ${max}, 9223372036854775808]::UBIGINT[]) AS n) TO '${folder}/logs/7.parquet'`,
    );
    const { reported } = await importAll([table]);
    expect(reported).toHaveLength(1);
    expect(reported[0]).toContain('logs/7.parquet');
    expect(await query('SELECT n, count(*) FROM logs GROUP BY n ORDER BY n')).toEqual([
      [min, '6'],
      ['-3', '6'],
      ['4', '7'],
      [max, '7'],
    ]);
  });

  test('Parquet, with and without gzip, fields matched by name without case', async () => {
    const file = join(folder, 'logs', '1.parquet');
    mkdirSync(dirname(file));
    await query(
      `COPY (SELECT 'x' AS extra, 7 AS "ID", TIMESTAMP '2026-11-20 10:00' AS "Ts", 5::TINYINT AS status,
         [{more: 1, REQUEST: [{Status_Code: '200'}]}] AS metadata) TO '${file}'`,
    );
    await query(
      `COPY (SELECT 8 AS id, '2026-11-20T11:00:00Z' AS ts, [{other: 1}] AS metadata) TO '${folder}/logs/2.parquet'`,
    );
    await load();
    expect(
      await query('SELECT id, ts::VARCHAR, status, metadata[1].request[1].status_code FROM logs ORDER BY id'),
    ).toEqual([
      ['7', '2026-11-20 10:00:00+00', '5', '200'],
      ['8', '2026-11-20 11:00:00+00', null, null],
    ]);
  });

  test('all files of a table are read, of any format', async () => {
    write('logs.ndjson', '{"id":"1"}\n');
    write('logs.csv', 'id\n2\n');
    write('logs/a.jsonl', '{"id":"3"}\n');
    write('logs/b.json.gz', gzipSync('[{"id":"4"}]'));
    await load();
    expect(await query('SELECT id FROM logs ORDER BY id')).toEqual([['1'], ['2'], ['3'], ['4']]);
  });

  test('Hive partitions fill the columns with their names, others are ignored', async () => {
    write('logs/date=2026-01-01/STATUS=200/a.ndjson', '{"id":"1"}\n');
    write('logs/date=2026-01-02/status=404/a.ndjson', '{"id":"2","status":1}\n');
    write('logs/status=__HIVE_DEFAULT_PARTITION__/a.ndjson', '{"id":"3"}\n');
    write('logs/ts=2026-01-01 10%3A00%3A00/a.csv', 'id\n4\n');
    await load();
    expect(await query('SELECT id, status, ts::VARCHAR FROM logs ORDER BY id')).toEqual([
      ['1', '200', null],
      ['2', '404', null],
      ['3', null, null],
      ['4', null, '2026-01-01 10:00:00+00'],
    ]);
  });
});

describe('NDJSON', () => {
  test.each([
    ['an empty file', '', []],
    ['blank lines', '\n{"id":"1"}\n\n\n{"id":"2"}\n\n', ['1', '2']],
    ['a byte order mark', '\uFEFF{"id":"1"}\n', ['1']],
    ['CRLF', '{"id":"1"}\r\n{"id":"2"}\r\n', ['1', '2']],
    ['no newline at the end', '{"id":"1"}', ['1']],
    ['line separators of Unicode in a value', '\uFEFF{"id":"a\u2028b"}\n', ['a\u2028b']],
    ['letter case', '{"ID":"1"}\n{"Id":"2"}\n{"id" : "3"}\n', ['1', '2', '3']],
    ['text like a key inside of a value', '{"ID":"{\\"ID\\":1}"}\n', ['{"ID":1}']],
  ])('%s is imported', async (_, content, ids) => {
    write('logs.ndjson', content);
    await load();
    expect((await query('SELECT id FROM logs')).flat()).toEqual(ids);
  });

  test('the letter case of keys is normalized in declared records only, and big numbers stay exact', async () => {
    write('logs.ndjson', '{"ID":{"ID":1,"Url":[{"Id":2}]},"Status":9007199254740993}\n');
    write('others.json', '[\n  {\n    "ID": 12345678901234567890\n  }\n]\n');
    await load();
    expect(await query('SELECT id, status FROM logs UNION ALL SELECT id, NULL FROM others')).toEqual([
      ['{"ID":1,"Url":[{"Id":2}]}', '9007199254740993'],
      ['12345678901234567890', null],
    ]);
  });

  test('fields in any order, case and number; absent ones are NULL or []', async () => {
    write(
      'logs.ndjson',
      [
        '{"METADATA":[{"REQUEST":[{"Url":"/a","unknown":1}],"useragent":"x"}],"extra":{"a":1},"ID":"1"}',
        '{"id":"2","metadata":null}',
        '{"id":"3","metadata":[{}]}',
        '{"id":null}',
      ].join('\n'),
    );
    await load();
    expect(await query('SELECT id, ts, metadata FROM logs ORDER BY id NULLS LAST')).toEqual([
      ['1', null, [{ userAgent: 'x', seen: null, request: [{ url: '/a', status_code: null }] }]],
      ['2', null, []],
      ['3', null, [{ userAgent: null, seen: null, request: [] }]],
      [null, null, []],
    ]);
  });
});

describe('values', () => {
  test('timestamps as ISO 8601, UTC without a zone', async () => {
    const ten = '2026-11-20 10:00:00+00';
    const texts: Readonly<Record<string, string>> = {
      '2026-11-20T10:00:00Z': ten,
      '2026-11-20t10:00:00z': ten,
      '2026-11-20T10:00:00': ten,
      '2026-11-20 10:00:00': ten,
      '2026-11-20T10:00': ten,
      '2026-11-20T10:00Z': ten,
      '2026-11-20T12:00:00+02:00': ten,
      '2026-11-20T12:00+02:00': ten,
      '2026-11-20T12:00:00+0200': ten,
      '2026-11-20T02:00:00-08': ten,
      '2026-11-20T10:00:00.123456Z': '2026-11-20 10:00:00.123456+00',
      '2026-11-20T10:00:00.5': '2026-11-20 10:00:00.5+00',
      '2026-11-20T10:00:00.123456789Z': '2026-11-20 10:00:00.123456+00',
      '2026-11-20': '2026-11-20 00:00:00+00',
    };
    const values = Object.keys(texts).map((text) => JSON.stringify(text));
    expect(await stored('ts', ...values)).toEqual(Object.values(texts));
  });

  test('timestamps as BigQuery exports them', async () => {
    expect(await stored('ts', '"2026-11-20 10:00:00.123456 UTC"', '"2026-11-20 10:00:00 UTC"')).toEqual([
      '2026-11-20 10:00:00.123456+00',
      '2026-11-20 10:00:00+00',
    ]);
  });

  test('timestamps as numbers since the epoch: seconds, milli-, micro- and nanoseconds by their size', async () => {
    const exact = '2024-11-20 10:00:00.123456+00';
    const numbers = {
      '1732096800': '2024-11-20 10:00:00+00',
      '1732096800.123456': exact,
      '"1.732096800123456E9"': exact,
      '1732096800123': '2024-11-20 10:00:00.123+00',
      '1732096800123456': exact,
      '"1732096800123456"': exact,
      '1732096800123456000': exact,
    };
    expect(await stored('ts', ...Object.keys(numbers))).toEqual(Object.values(numbers));
  });

  test('timestamps inside records', async () => {
    expect(await stored('metadata', '[{"seen":"2026-11-20 10:00:00 UTC"},{"seen":null}]')).toEqual([
      expect.stringContaining(`'seen': '2026-11-20 10:00:00+00'`),
    ]);
  });

  test('integers as JSON strings, as BigQuery exports them, also inside records and beyond 2^53', async () => {
    expect(await stored('status', '"200"', '200', '"9007199254740993"', 'null')).toEqual([
      '200',
      '200',
      '9007199254740993',
      null,
    ]);
    expect(await stored('metadata', '[{"request":[{"status_code":"404"}]}]')).toEqual([
      expect.stringContaining(`'status_code': 404`),
    ]);
  });

  test('numbers, booleans and records where text is declared become their text', async () => {
    expect(await stored('id', '5', '1.5', 'true', '{"a":[1]}')).toEqual(['5', '1.5', 'true', '{"a":[1]}']);
  });

  test.each([
    ['ts', '"20261120"', /ts: "20261120" is not a timestamp/],
    ['ts', '"20261120100000"', /is not a timestamp/],
    ['ts', '"20261120100000123"', /is not a timestamp/],
    ['ts', '"2026"', /is not a timestamp/],
  ])('%s does not read %s as another value', async (column, value, message) => {
    expect(await rejected('logs.ndjson', `{}\n{"${column}":${value}}\n`)).toMatch(message);
  });

  test('booleans and floats as JSON strings', async () => {
    expect(await stored('ok', '"true"', 'false')).toEqual(['true', 'false']);
    expect(await stored('ratio', '"1.5"', '2')).toEqual(['1.5', '2.0']);
  });

  test('every other type of BigQuery', async () => {
    const all: TableSchema = {
      name: 'all',
      fields: [
        field('n', 'NUMERIC'),
        field('d', 'DATE'),
        field('t', 'TIME'),
        field('dt', 'DATETIME'),
        field('b', 'BYTES'),
        field('j', 'JSON'),
        { name: 'xs', type: 'INT64', mode: 'REPEATED' },
        { name: 'one', type: 'STRUCT', mode: 'NULLABLE', fields: [field('x', 'FLOAT64')] },
      ],
    };
    write(
      'all.ndjson',
      `{"n":"1.000000001","d":"2026-01-02","t":"10:00:00.5","dt":"2026-01-02T10:00:00","b":"aGk=","j":{"a":[1]},"xs":["1",2],"one":{"x":1}}
{}\n`,
    );
    await load([all]);
    expect(await query('SELECT columns(*)::VARCHAR FROM "all"')).toEqual([
      [
        '1.000000001',
        '2026-01-02',
        '10:00:00.5',
        '2026-01-02 10:00:00',
        'hi',
        '{"a":[1]}',
        '[1, 2]',
        "{'x': 1.0}",
      ],
      [null, null, null, null, null, null, '[]', null],
    ]);
  });

  test('CSV: an empty cell is NULL, a quoted empty one is text; quotes, commas and newlines in cells', async () => {
    write(
      'logs.csv',
      '\uFEFF"ID",ts,extra,Status\r\n,2026-11-20 10:00:00 UTC,x,"200"\r\n"",,"a\nb",\r\n"a,""b",,,\r\n',
    );
    await load();
    expect(await query('SELECT id, ts::VARCHAR, status FROM logs')).toEqual([
      [null, '2026-11-20 10:00:00+00', '200'],
      ['', null, null],
      ['a,"b', null, null],
    ]);
  });

  test('CSV: records are read with any letter case of their fields', async () => {
    write('logs.csv', 'id,metadata\n1,"[{""USERAGENT"":""curl""}]"\n2,\n');
    await load();
    expect(await query('SELECT id, metadata[1]."userAgent" FROM logs')).toEqual([
      ['1', 'curl'],
      ['2', null],
    ]);
  });

  test('CSV: columns without a name, as of an index, do no harm', async () => {
    write('logs.csv', ',id,\n0,7,x\n1,8,y\n');
    await load();
    expect(await query('SELECT id FROM logs ORDER BY id')).toEqual([['7'], ['8']]);
  });

  test.each([
    'id,note,note',
    'id,Note,note',
    'id,column1,',
    ',id,column0',
    'id,,column1',
    'id,column2,column2',
    'id,querygate,note',
  ])('CSV: columns that no field names may have any names: %s', async (header) => {
    const at = header.split(',').indexOf('id');
    const row = (id: number) => ['x', 'y', 'z'].with(at, String(id)).join(',');
    write('logs.csv', `${header}\n${row(7)}\n${row(8)}\n`);
    await load();
    expect(await query('SELECT id FROM logs ORDER BY id')).toEqual([['7'], ['8']]);
  });

  test('CSV: spaces around names of columns are not part of them', async () => {
    write('logs.csv', ' ID , "status" ,extra\n7,200,x\n');
    await load();
    expect(await query('SELECT id, status FROM logs')).toEqual([['7', '200']]);
  });

  test('CSV: a name in the header may have line breaks, and a quote in a name opens none', async () => {
    write('logs.csv', 'x"y,"a\nb;c",id\n1,2,7\n');
    const { problems } = await importAll([logs]);
    expect(problems).toEqual(new Map());
    expect(await query('SELECT id FROM logs')).toEqual([['7']]);
  });

  test.each(['first, last', 'first,last'])('CSV: a line of a name may have commas: %s', async (line) => {
    write('logs.csv', `"Name\n${line}\nof it",id\nfoo,7\n`);
    await load();
    expect(await query('SELECT id FROM logs')).toEqual([['7']]);
  });

  test('CSV: a name in quotes may end with a comma and a blank', async () => {
    write('logs.csv', '"x, ",id,status\n1,7,"200"\n');
    await load();
    expect(await query('SELECT id, status FROM logs')).toEqual([['7', '200']]);
  });

  test('a file with only a header has no rows, nor has an empty one, also as a compressed file', async () => {
    write('logs.csv', 'id,ts\n');
    for (const format of ['ndjson', 'json', 'csv'])
      for (const end of ['gz', 'zst']) write(`logs/empty.${format}.${end}`, '');
    write('others.csv', '');
    await load();
    expect(await query('SELECT id FROM logs UNION ALL SELECT id FROM others')).toEqual([]);
  });
});

describe('a file that cannot be read as a whole is a problem of its table alone', () => {
  test.each([
    ['a truncated JSON array', 'logs.json', '[{"id":1},\n{"status"', /^logs\.json: not JSON: /],
    [
      'truncated gzip',
      'logs.ndjson.gz',
      gzipSync('{}\n').subarray(0, -6),
      /^logs\.ndjson\.gz: .*unexpected end/,
    ],
    ['no gzip', 'logs.csv.gz', 'id\n1\n', /^logs\.csv\.gz: cannot be decompressed: /],
    [
      'truncated zstd',
      'logs.ndjson.zst',
      zstdCompressSync('{}\n').subarray(0, -3),
      /^logs\.ndjson\.zst: cannot/,
    ],
    ['no Parquet', 'logs.parquet', 'PAR1 and no more', /^logs\.parquet: .*[Pp]arquet/],
    ['an empty Parquet', 'logs.parquet', '', /^logs\.parquet: .*too small/],
    [
      'CSV whose first line is blank',
      'logs.csv',
      '\uFEFF \r\n\r\nid\r\n1\r\n',
      /^logs\.csv: must name its columns in the first line, which is blank$/,
    ],
    ['CSV without a column of the table', 'logs.csv', 'a,b\n1,2\n', /^logs\.csv: its header names no column/],
    [
      'UTF-16 as CSV',
      'logs.csv',
      Buffer.from('id\n1\n', 'utf16le'),
      /it is UTF-16: iconv -f utf-16le -t utf-8$/,
    ],
    [
      'JSON with a bracket too many',
      'logs.json',
      '[{"id":1}}]',
      /^logs\.json: not JSON: it has a closing bracket/,
    ],
    ['CSV after a comment', 'logs.csv', '# made by x\nid\n1\n', /which is a comment: leave it out$/],
    ['CSV after sep=', 'logs.csv', 'sep=,\nid,ts\n1,\n', /a separator for Excel \(sep=\): leave it out$/],
    ['an archive', 'logs.csv', 'PK\u0003\u0004\u0014', /^logs\.csv: is not CSV, but a zip archive/],
    [
      'JSON as CSV',
      'logs.csv',
      '{"id":"1"}\n',
      /^logs\.csv: is not CSV, but JSON: its name must end in \.nd/,
    ],
    [
      'JSON as CSV, of which a key is a column',
      'logs.csv',
      '{"n":1,"id":"1"}\n{"n":2,"id":"2"}\n',
      /^logs\.csv: is not CSV, but JSON/,
    ],
    ['CSV with ; and quotes', 'logs.csv', 'id;"ts";"x"\n1;2;3\n', /separated by commas, found ;/],
    [
      'CSV with a column twice',
      'logs.csv',
      'id,ID\n1,2\n',
      /^logs\.csv: its header names the column id twice/,
    ],
  ])('for %s', async (_, name, content, message) => {
    expect(await problem(name, content)).toMatch(message);
  });

  test.each([
    '"id,ts',
    'id,"ts',
    'id,"ts\n1,2\n3,4"',
    'id,ts,"size 5""',
    'id,"ts"x',
    '"x" ts,id',
    'id,ts,"x"y"',
  ])('for CSV with a quote that does not end its name: %s', async (header) => {
    expect(await problem('logs.csv', `${header}\n1,\n2,\n`)).toBe(
      'logs.csv: its header has a quote that does not end its name',
    );
  });
});

describe('a row that cannot be read is left out, and reported', () => {
  test.each([
    ['a malformed line', 'logs.ndjson', '{"id":"1"}\n\n{"id":\n{"id":"3"}\n', /^logs\.ndjson:3: not JSON: /],
    ['a malformed first line', 'logs.ndjson', '{"id"\n', /^logs\.ndjson:1: not JSON: /],
    ['two rows on a line', 'logs.ndjson', '{"id":"1"}\n{} {}\n', /^logs\.ndjson:2: not JSON: /],
    ['a line that is no object', 'logs.ndjson', '{}\n[1]\n', /^logs\.ndjson:2: Expected OBJECT/],
    ['a record that is not repeated', 'logs.ndjson', '{"metadata":{}}\n', /^logs\.ndjson:1: Expected ARRAY/],
    [
      'no timestamp',
      'logs.ndjson',
      '{}\n\n{"ts":"yesterday"}\n',
      /^logs\.ndjson:3: ts: "yesterday" is not a/,
    ],
    ['an empty timestamp', 'logs.ndjson', '{"ts":""}\n', /^logs\.ndjson:1: ts: "" is not a timestamp/],
    [
      'an impossible date',
      'logs.ndjson',
      '{"ts":"2026-02-30"}\n',
      /^logs\.ndjson:1: ts: "2026-02-30" is not/,
    ],
    ['an infinite timestamp', 'logs.ndjson', '{"ts":"infinity"}\n', /^logs\.ndjson:1: ts: "infinity" is not/],
    [
      'a nested timestamp',
      'logs.ndjson',
      '{}\n{"metadata":[{"seen":"x"}]}\n',
      /^logs\.ndjson:2: seen: "x" is not a/,
    ],
    [
      'no integer',
      'logs.ndjson',
      '{}\n{"status":"abc"}\n',
      /^logs\.ndjson:2: status: "abc" is not an integer/,
    ],
    [
      'the text of an error of the disk',
      'logs.ndjson',
      '{"status":"No space left on device"}\n',
      /^logs\.ndjson:1: .*No space left/,
    ],
    [
      'the text of an error of the store',
      'logs.ndjson',
      '{"status":"Invalid Input Error: repeated record: metadata"}\n',
      /^logs\.ndjson:1: .*repeated record/,
    ],
    [
      'an integer that is too big',
      'logs.ndjson',
      '{"status":9223372036854775808}\n',
      /^logs\.ndjson:1: .*9223372036854775808/,
    ],
    ['not UTF-8', 'logs.ndjson', Buffer.from('{"id":"\xff"}\n', 'latin1'), /^logs\.ndjson:1: .*UTF-8/],
    [
      'UTF-16',
      'logs.ndjson',
      Buffer.from('\uFEFF{"id":"1"}\n', 'utf16le'),
      /^logs\.ndjson: a row cannot be read: it is UTF-16: iconv -f utf-16 -t utf-8$/,
    ],
    [
      'an archive',
      'logs.ndjson',
      'PK\u0003\u0004\u0014\n',
      /a row cannot be read: it is a zip archive: unpack it$/,
    ],
    ['in a JSON array', 'logs.json', '[{"id":1},\n{"status":"x"}]', /^logs\.json: row 2: .*"x"/],
    ['in a folder', 'logs/day=1/a.ndjson', '{"id":1}\n{"id":', /^logs\/day=1\/a\.ndjson:2: not JSON/],
    ['in gzip', 'logs.ndjson.gz', gzipSync('{}\n\n{"ts":"x"}\n'), /^logs\.ndjson\.gz:3: ts: "x" is not/],
    [
      'CSV, a cell missing',
      'logs.csv',
      'id,ts\n1,\n2\n',
      /^logs\.csv:3: Expected Number of Columns: 2 Found: 1/,
    ],
    [
      'CSV, a cell too many',
      'logs.csv',
      'id\n1\n2,3\n',
      /^logs\.csv:3: Expected Number of Columns: 1 Found: 2/,
    ],
    ['CSV, an open quote', 'logs.csv', 'id,ts\n1,\n"2,\n', /^logs\.csv:3: Value with unterminated quote/],
    ['CSV, no timestamp', 'logs.csv', 'id,ts\n1,\n2,x\n', /^logs\.csv: row 2: ts: "x" is not a timestamp/],
    ['CSV, no integer', 'logs.csv', 'status\n1\nx\n', /^logs\.csv: row 2: .*"x"/],
    ['CSV, no JSON in a cell', 'logs.csv', 'metadata\n[{]\n', /^logs\.csv: row 1: not JSON/],
  ])('for %s', async (_, name, content, message) => {
    expect(await rejected(name, content)).toMatch(message);
  });

  test('among many files the one with the row is named', async () => {
    for (const name of ['a', 'b', 'c']) write(`logs/${name}.ndjson`, '{"ts":"2026-01-01"}\n');
    expect(await rejected('logs/bb.ndjson', '{"ts":"x"}\n')).toMatch(/^logs\/bb\.ndjson:1: ts: "x"/);
  });

  test.each([
    ['a wrong shape before other rows', '{}\n{"metadata":"x"}\n{}\n{}\n{}\n', 2],
    ['a wrong shape after blank lines', '{}\n\n\n{"metadata":"x"}\n{}\n', 4],
    ['a nested integer', '{"id":"1"}\n{"metadata":[{"request":[{"status_code":"abc"}]}]}\n', 2],
    ['the first of two', '{}\n{"status":"a"}\n{}\n{"metadata":"x"}\n', 2],
    ['CRLF and a byte order mark', '\uFEFF{}\r\n{"status":"a"}\r\n', 2],
  ])('the line of %s', async (_, content, line) => {
    expect(await rejected('logs.ndjson', content)).toMatch(
      new RegExp(`(^logs\\.ndjson:|the first: line )${line}: `),
    );
  });

  test('rows of a JSON array, and values over several lines, are counted', async () => {
    expect(await rejected('logs.json', '[{},{},{"metadata":"x"},{}]')).toMatch(
      /^logs\.json: row 3: Expected/,
    );
    expect(await rejected('logs.json', '{\n"id":1}\n{\n"metadata":"x"}\n')).toMatch(
      /^logs\.json: row 2: Expected/,
    );
  });

  const long = 'secret'.repeat(50);
  test.each([
    ['logs.parquet', 'PAR1 and no more'],
    ['logs.parquet', ''],
    ['logs/a[1].parquet', ''],
    ['logs.ndjson', `{"status":{"a":"${long}","b":"other"}}`],
    ['logs.ndjson', `{"status":["${long}"]}`],
    ['logs.ndjson', `{"id":"short","id":"${long}"}`],
    ['logs.ndjson', '{"id":"secret","id":"other"}'],
    ['logs.ndjson', `{"ts":"${long}"}`],
    ['logs.ndjson', `{"status":"${long}"}`],
    ['logs.ndjson', `{"status":"abc"}`],
    ['logs.csv', `id,ts\n${long}\n`],
    ['logs.csv', `metadata\n"[{""a"":1,""secret"":"\n`],
    ['logs.csv.gz', gzipSync('id,ts\n1\n')],
    ['logs.csv.gz', 'none'],
  ])('no path of the machine and no complete row is reported: %s %#', async (name, content) => {
    write(name, content);
    const [reported] = (await importAll([logs, others])).reported;
    expect(reported).toMatch(new RegExp(`^${name.replace(/[.[\]]/g, '\\$&')}:`));
    expect(reported).not.toContain(tmpdir());
    expect(reported).not.toMatch(/(secret){9}|"(secret|other)"|querygate-/);
    expect(reported?.length).toBeLessThan(260);
  });

  test('a REQUIRED column without a value', async () => {
    const strict: TableSchema = { name: 'logs', fields: [{ name: 'id', type: 'STRING', mode: 'REQUIRED' }] };
    write('logs.ndjson', '{"id":"1"}\n{"id":null}\n');
    expect(await importAll([strict])).toEqual({
      problems: new Map(),
      reported: ['logs.ndjson:2: id: is missing'],
    });
  });

  test.each([
    ['{"status"', /^logs\.ndjson:150000: not JSON/],
    ...atNight<[string, RegExp]>(
      ['{"ts":"x"}', /^logs\.ndjson:150000: ts: "x"/],
      ['{"status":"x"}', /^logs\.ndjson:150000: .*"x"/],
    ),
  ])('the line number is right deep inside of a big file: %s', async (wrong, problem) => {
    const lines = Array.from(
      { length: 200_000 },
      (_, index) => `{"id":"${'x'.repeat(200)}","status":${index}}`,
    );
    lines[149_999] = wrong;
    expect(await rejected('logs.ndjson', lines.join('\n'))).toMatch(problem);
  });
});
