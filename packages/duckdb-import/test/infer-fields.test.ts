import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inferFields } from '../src/sample/infer-fields.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'infer-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** @param content of the file; of Parquet, SQL of its rows, or undefined for a file that is there */
async function infer(name: string, content: string | undefined, path = join(folder, name)) {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  try {
    if (content !== undefined && name.endsWith('.parquet'))
      await connection.run(`COPY (${content}) TO '${path}' (FORMAT parquet)`);
    else if (content !== undefined) writeFileSync(path, content);
    return await inferFields(connection, [path]);
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

describe('integers that DuckDB reads as DOUBLE keep their digits', () => {
  test.each([
    ['99999999999999999999', 'NUMERIC', 'INT64'],
    [`-${'9'.repeat(29)}`, 'NUMERIC', 'INT64'],
    ['123456789012345678901234567890', 'BIGNUMERIC', 'NUMERIC'],
    ['9'.repeat(38), 'BIGNUMERIC', 'NUMERIC'],
    ['9'.repeat(39), 'STRING', 'BIGNUMERIC'],
  ])('%s is %s', async (number, type, beyond) => {
    const lines = [`{"n":1,"r":{"n":${number}},"l":[1]}`, `{"N":${number},"l":[2,${number}],"x":NaN}`];
    const { fields, notes } = await infer('long.ndjson', `${lines.join('\n')}\n`);
    expect(fields).toMatchObject([{ type }, { fields: [{ type }] }, { type, mode: 'REPEATED' }, {}]);
    expect(notes).toContainEqual(
      expect.stringContaining(`each is ${type}, because some of its numbers are beyond ${beyond}`),
    );
    const csv = await infer('long.csv', `a,n\n1,1\n2,${number}\n`);
    expect(csv.fields).toMatchObject([{ type: 'INTEGER' }, { type }]);
    expect(csv.notes).toEqual([`n is ${type}, because some of its numbers are beyond ${beyond}`]);
  });

  test('numbers with fractions among them are FLOAT, and texts of digits STRING', async () => {
    const long = '9'.repeat(25);
    const { fields } = await infer('mixed.ndjson', `{"n":${long},"s":"${long}"}\n{"n":1.5,"s":"1"}\n`);
    expect(fields).toMatchObject([{ type: 'FLOAT' }, { type: 'STRING' }]);
  });
});

describe('of Parquet', () => {
  const inferParquet = (name: string) =>
    infer(name, undefined, join(import.meta.dirname, 'parquet', `${name}.parquet`));

  test('decimals that NUMERIC does not have are BIGNUMERIC', async () => {
    const select = `SELECT 1::DECIMAL(38,9) AS a, 1::DECIMAL(12,10) AS b, [1::DECIMAL(31,1)] AS l, {n: 0::DECIMAL(38,38)} AS r`;
    const { fields, notes } = await infer('decimals.parquet', select);
    const type = 'BIGNUMERIC';
    expect(fields).toMatchObject([{ type: 'NUMERIC' }, { type }, { type }, { fields: [{ type }] }]);
    expect(notes).toContain('b is BIGNUMERIC, because NUMERIC does not have all numbers of DECIMAL(12,10)');
    expect(notes).toHaveLength(3);
  });

  test('times without a zone are DATETIME in each unit', async () => {
    const { fields } = await infer(
      'units.parquet',
      `SELECT *, now() AS z FROM (SELECT TIMESTAMP '2026-01-31' AS us, TIMESTAMP_MS '2026-01-31' AS ms, TIMESTAMP_NS '2026-01-31' AS ns)`,
    );
    const type = 'DATETIME';
    expect(fields).toMatchObject([{ type }, { type }, { type }, { type: 'TIMESTAMP' }]);
  });

  test('decimals of more digits than can be read get a note', async () => {
    const { fields, notes } = await inferParquet('wide-decimals');
    expect(fields).toMatchObject([
      {},
      { type: 'BIGNUMERIC' },
      {},
      { type: 'BIGNUMERIC', mode: 'REPEATED' },
      {},
    ]);
    expect(notes).toContainEqual(
      'd, r.d and l: each is BIGNUMERIC, but the file has DECIMAL(76, 38), and only decimals of at most 38 digits can be read; write it as DECIMAL(38, …) or as text',
    );
  });

  test('columns without a type are STRING, with a note', async () => {
    const { fields, notes } = await inferParquet('without-values');
    expect(fields[1]).toMatchObject({ name: 'v', type: 'STRING' });
    expect(notes).toContainEqual(
      expect.stringMatching(/^v, r\.v, l and lr\.v: each is STRING: the rows have no value/),
    );
  });

  test('times in UTC are TIME', async () => {
    expect((await inferParquet('utc-times')).fields[1]).toMatchObject({ type: 'TIME' });
  });
});

test('the values of a key without a name are left out with a note, at each level', async () => {
  const { fields, notes } = await infer('unnamed.ndjson', '{"id":1,"":6,"r":{"":1,"x":2}}\n');
  expect(fields).toMatchObject([{ name: 'id' }, { name: 'r', fields: [{ name: 'x' }] }]);
  expect(notes).toEqual(['Without the values of a key "": a column needs a name, so rename it in the rows']);
});

test('CSV whose first line is blank is refused, as the import refuses it', async () => {
  await expect(infer('blank.csv', '\n\na,b\n1,2\n')).rejects.toThrow(
    'blank.csv must name its columns in the first line, which is blank',
  );
});

describe('a column of which all rows are NULL has a note', () => {
  test.each([
    ['null.ndjson', '{"n":1,"s":null}\n{"n":2}\n', 'STRING'],
    ['null.csv', 'n,s\n1,\n2,\n', 'STRING'],
    ['null.parquet', 'SELECT unnest([1::BIGINT, 2]) AS n, NULL::VARCHAR AS s', 'STRING'],
    ['typeless.parquet', 'SELECT unnest([1::BIGINT, 2]) AS n, NULL AS s', 'INTEGER'],
  ])('%s', async (name, content, type) => {
    const { fields, notes } = await infer(name, content);
    expect(fields).toMatchObject([{ type: 'INTEGER' }, { name: 's', type }]);
    expect(notes).toEqual([`s is ${type}: the rows have no value of it, so write the type that it has`]);
  });
});

test('a key with dots beside the record whose path it has is left out with a note, at each level', async () => {
  const row = '{"id":1,"a":{"b":{"c":1},"b.C":2},"a.b":3,"x.y":4,"#file":5}';
  const { fields, notes } = await infer('dots.ndjson', `${row}\n`);
  expect(fields).toMatchObject([
    { name: 'id' },
    { name: 'a', fields: [{ name: 'b', fields: [{ name: 'c' }] }] },
    { name: 'x.y' },
  ]);
  for (const note of [
    '`a.b` is left out: it has the path of `a`.`b`; rename it in the rows',
    '`b.C` is left out: it has the path of `b`.`c`; rename it in the rows',
    '#file is left out: it is a column of the store; rename it in the rows',
  ])
    expect(notes).toContainEqual(note);
});

describe('files that the import does not read whole are described in its words', () => {
  test.each([
    [
      'array.ndjson',
      '[{"a":1}]\n',
      'cannot be read: it is a JSON array: name it array.json, or write one object a line',
    ],
    ['utf-16.ndjson', '\ufeff{"a":1}\n', 'cannot be read: it is UTF-16: iconv -f utf-16 -t utf-8'],
    ['utf-16le.ndjson', '{"a":1}\n', 'cannot be read: it is UTF-16: iconv -f utf-16le -t utf-8'],
    ['comment.csv', '# made by x\na,b\n1,2\n', 'the first line, which is a comment: leave it out'],
    ['sep.csv', 'sep=,\na,b\n1,2\n', 'the first line, which is a separator for Excel (sep=): leave it out'],
    ['zip.csv', 'PK\u0003\u0004\u0014\0', 'is not CSV, but a zip archive or a workbook'],
    ['json.csv', '{"a":1}\n{"a":2}\n', 'is not CSV, but JSON: its name must end in .ndjson or .json'],
    [
      'open.csv',
      'a,b\n"x,1\nz,2\n',
      'and " around texts with commas; line 2: Value with unterminated quote found',
    ],
    ['twice.ndjson', '{"r":[{"A":1,"a":2}]}\n', 'cannot be read: line 1: the key "a" occurs twice'],
  ])('%s is refused', async (name, content, message) => {
    const path = join(folder, name);
    writeFileSync(path, content, name.startsWith('utf-16') ? 'utf16le' : 'utf8');
    await expect(infer(name, undefined, path)).rejects.toThrow(message);
  });

  test.each([
    ['apostrophes.csv', "a,b\n'x,y',2\n'z',3\n", 'line 2: Expected Number of Columns: 2 Found: 3'],
    ['quotes.csv', 'a,b\n"z"w",1\nz,2\n', 'line 2: Value with unterminated quote found.'],
    [
      'latin1.ndjson',
      '{"a":1}\n{"a":"\u00e9"}\n',
      'line 2: not JSON: must be UTF-8: iconv -f latin1 -t utf-8',
    ],
    ['cut.ndjson', '{"a":1}\n{"a":\n', 'line 2: not JSON: unexpected end of data'],
  ])('%s is read without some rows', async (name, content, reason) => {
    const path = join(folder, name);
    writeFileSync(path, content, 'latin1');
    const { fields, notes } = await infer(name, undefined, path);
    expect(fields[0]).toMatchObject({ name: 'a' });
    expect(notes).toEqual([expect.stringContaining(`the first is ${reason}`)]);
  });
});

test('a text of Parquet that is not UTF-8 is not quoted', async () => {
  const path = join(folder, 'texts.parquet');
  await infer('texts.parquet', "SELECT 'secret-xx' AS s");
  const bytes = readFileSync(path);
  for (let x = bytes.indexOf('-xx'); x >= 0; x = bytes.indexOf('-xx', x)) bytes.fill(0xff, x + 1, x + 3);
  writeFileSync(path, bytes);
  await expect(infer('texts.parquet', undefined, path)).rejects.toMatchObject({
    problems: [
      { message: 'cannot be read: a text of a column is not UTF-8; write it as UTF-8, or as BYTES' },
    ],
  });
});

test('a header that begins with # names columns, also in a compressed file', async () => {
  for (const name of ['numbers.csv', 'numbers.csv.gz']) {
    const path = join(folder, name);
    const text = '#id,n\n1,2\n3,4\n';
    writeFileSync(path, name.endsWith('.gz') ? gzipSync(text) : text);
    expect((await infer(name, undefined, path)).fields).toMatchObject([{ name: '#id' }, { name: 'n' }]);
  }
});

test('a name in a header may have line breaks, also in a compressed file', async () => {
  for (const name of ['names.csv', 'names.csv.gz']) {
    const path = join(folder, name);
    const text = '"a\nx",c\n1,2\n';
    writeFileSync(path, name.endsWith('.gz') ? gzipSync(text) : text);
    expect((await infer(name, undefined, path)).fields).toMatchObject([{ name: 'a\nx' }, { name: 'c' }]);
  }
});

test('texts that are true and false in any case have a note', async () => {
  const { notes } = await infer('booleans.ndjson', '{"b":"TRUE"}\n{"b":"false"}\n');
  expect(notes).toEqual([expect.stringContaining('b is STRING, although all its texts are true or false')]);
});

test('names that are impossible in BigQuery, invented or values have notes', async () => {
  const long = 'x'.repeat(301);
  const row = `{"r":{"b.c":1},"_table_suffix":1,"_CHANGE_TYPE":1,"_partitioned":1,"${long}":1,"_file":1}`;
  const { notes } = await infer('names.ndjson', `${row}\n`);
  expect(notes).toEqual([
    expect.stringMatching(
      /^"_table_suffix", "_CHANGE_TYPE" and "_partitioned": each begins as columns of Big/,
    ),
    expect.stringContaining('has 301 characters, and a column in BigQuery at most 300'),
    '"b.c" cannot be the name of a column in BigQuery: rename it in the rows',
  ]);
  expect((await infer('values.csv', '1,,2026-01-31\n3,4,5\n')).notes.slice(0, 2)).toEqual([
    'column1 has no name in the header: it is numbered by its place',
    'The first line names the columns: if 1, 2026-01-31 are values, write a line of names before it',
  ]);
});
