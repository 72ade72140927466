import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openCommandHost } from '../support/command-host.ts';
import { queryText } from '../support/queries.ts';

const folder = mkdtempSync(join(tmpdir(), 'querygate-test-'));
const queries = join(folder, 'queries');
afterAll(() => rmSync(folder, { recursive: true }));

const write = (name: string, text: string | Buffer) => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};
const querygate = openCommandHost();
const run = (...args: readonly string[]) => querygate(args, { QUERIES_DIR: queries });

const row = {
  ts: '2026-01-31T12:00:00Z',
  project: 'abc',
  status: 200,
  request: { path: '/a', ms: 1.5 },
  tags: ['x'],
};

beforeAll(async () => {
  const data = write('web.ndjson', `${JSON.stringify(row)}\n`);
  expect(await run('tables', 'add', 'web', data)).toMatchObject({ exitCode: 0 });
});

describe('querygate tables add', () => {
  const schemaOf = (name: string) =>
    JSON.parse(readFileSync(join(queries, 'tables', `${name}.json`), 'utf8')) as unknown;

  test('writes the schema of NDJSON', () => {
    expect(schemaOf('web')).toEqual([
      { name: 'ts', type: 'TIMESTAMP', mode: 'NULLABLE' },
      { name: 'project', type: 'STRING', mode: 'NULLABLE' },
      { name: 'status', type: 'INTEGER', mode: 'NULLABLE' },
      {
        name: 'request',
        type: 'RECORD',
        mode: 'NULLABLE',
        fields: [
          { name: 'path', type: 'STRING', mode: 'NULLABLE' },
          { name: 'ms', type: 'FLOAT', mode: 'NULLABLE' },
        ],
      },
      { name: 'tags', type: 'STRING', mode: 'REPEATED' },
    ]);
  });

  test('writes the schema of CSV, and says what the rows do not show', async () => {
    const data = write('visits.csv', 'created_at,n,day\n1769860800,1.5,2026-01-31\n');
    const { errors } = await run('tables', 'add', 'visits', data);
    expect(errors).toContain('created_at is INTEGER: write TIMESTAMP if it counts seconds');
    expect(schemaOf('visits')).toEqual([
      { name: 'created_at', type: 'INTEGER', mode: 'NULLABLE' },
      { name: 'n', type: 'FLOAT', mode: 'NULLABLE' },
      { name: 'day', type: 'DATE', mode: 'NULLABLE' },
    ]);
  });

  test('CSV has dates of ISO 8601 only, and integers beyond INT64 are NUMERIC', async () => {
    const data = write(
      'spellings.csv',
      'us,mixed,big,comma\n01/02/2026,2026-11-01T10:00:00Z,12345678901234567890,"1,50"\n01/02/2026,2026-11-02,5,"2,50"\n',
    );
    const { errors } = await run('tables', 'add', 'spellings', data);
    expect(errors).toContain('big is NUMERIC, because some of its numbers are beyond INT64');
    expect(schemaOf('spellings')).toMatchObject(
      ['STRING', 'TIMESTAMP', 'NUMERIC', 'STRING'].map((type) => ({ type })),
    );
  });

  test('says how texts are read that look like dates and numbers', async () => {
    const data = write(
      'looks.csv',
      'Ship date,us,seen,comma,thousands,name\n04/11/2026,01/02/2026,04.11.26 10:30,"1,50","1,234",12 Main St\n25/11/2026,01/02/2026,25.11.26 10:30,"2,5","5,678",3\n',
    );
    const { errors } = await run('tables', 'add', 'looks', data);
    expect(errors).toContain(
      "`Ship date` is STRING: its texts look like dates (04/11/2026); write PARSE_DATE('%d/%m/%Y', `Ship date`), or ISO 8601 in the file",
    );
    expect(errors).toContain(
      "us is STRING: its texts look like dates (01/02/2026), with the day or the month first; write PARSE_DATE('%d/%m/%Y', us) or PARSE_DATE('%m/%d/%Y', us)",
    );
    expect(errors).toContain("write PARSE_TIMESTAMP('%d.%m.%y %H:%M', seen)");
    expect(errors).toContain(
      "comma is STRING: its texts look like numbers with a comma (1,50); write CAST(REPLACE(comma, ',', '.') AS NUMERIC)",
    );
    expect(errors).toContain(
      "if the comma is a decimal one, CAST(REPLACE(thousands, ',', '') AS NUMERIC) if not",
    );
    expect(errors).not.toContain('name is STRING');
  });

  test('says so if dates are written in several forms', async () => {
    const data = write(
      'forms.csv',
      'day,us,name\n31.12.2025,25/12/2025,1.1.2026\n2026-01-05,12/25/2025,none\n,01/01/2026,x\n',
    );
    const { errors } = await run('tables', 'add', 'forms', data);
    const of = (examples: string) =>
      `is STRING: its texts look like dates of several forms (${examples}); write ISO 8601 in the file`;
    expect(errors).toContain(`day ${of('2026-01-05, 31.12.2025')}`);
    expect(errors).toContain(`us ${of('01/01/2026, 25/12/2025')}`);
    expect(errors).not.toContain('name is STRING');
  });

  test('takes the texts that BigQuery exports for moments as TIMESTAMP', async () => {
    const data = write(
      'exported.ndjson',
      '{"at":"2026-01-31 12:00:00 UTC","steps":[{"at":"2026-01-31 12:00:00.123456 UTC"}],"note":"at 12:00:00 UTC"}\n{"at":null}\n',
    );
    await run('tables', 'add', 'exported', data);
    expect(schemaOf('exported')).toEqual([
      { name: 'at', type: 'TIMESTAMP', mode: 'NULLABLE' },
      {
        name: 'steps',
        type: 'RECORD',
        mode: 'REPEATED',
        fields: [{ name: 'at', type: 'TIMESTAMP', mode: 'NULLABLE' }],
      },
      { name: 'note', type: 'STRING', mode: 'NULLABLE' },
    ]);
  });

  test('keeps all that decides how local rows compare, of a schema as bq show prints it', async () => {
    const fields = [
      { name: 'email', type: 'STRING', mode: 'NULLABLE', maxLength: '80', collation: 'und:ci' },
      {
        name: 'lines',
        type: 'RECORD',
        mode: 'REPEATED',
        fields: [
          { name: 'price', type: 'NUMERIC', mode: 'REQUIRED', precision: '10', scale: '2' },
          { name: 'sku', type: 'STRING', mode: 'NULLABLE', collation: 'und:ci', description: 'Code.' },
        ],
      },
    ];
    const text = JSON.stringify(fields);
    expect(await run('tables', 'add', 'shown', write('shown.json', text))).toMatchObject({ exitCode: 0 });
    expect(JSON.stringify(schemaOf('shown'))).toBe(text);
  });

  test('takes the rows that the import takes, and counts the others', async () => {
    const lines = [
      '\uFEFF{"n":1}\r',
      '\r',
      '{"n":\r',
      'null',
      '[1]',
      '{"n":2,"n":3}',
      '{"n":4,"x":NaN}',
      'ERROR',
      '{"n":5}',
    ];
    for (const [name, content] of [
      ['dirty.ndjson', lines.join('\n')],
      ['dirty.ndjson.gz', gzipSync(lines.join('\n'))],
    ] as const) {
      const data = join(folder, name);
      writeFileSync(data, content);
      const { exitCode, errors } = await run('tables', 'add', 'dirty', data, '--force');
      expect(exitCode).toBe(0);
      expect(errors).toContain(
        `Without 5 of 8 lines of ${data}, which the import leaves out too; the first is line 3: not JSON: unexpected end of data.\n`,
      );
      expect(schemaOf('dirty')).toEqual([
        { name: 'n', type: 'INTEGER', mode: 'NULLABLE' },
        { name: 'x', type: 'FLOAT', mode: 'NULLABLE' },
      ]);
    }
    const csv = write('dirty.csv', '\uFEFFn,s\r\n1,a\r\n2\r\n3,b,c\r\n\r\n4,"d"\r\n');
    const { errors } = await run('tables', 'add', 'dirty', csv, '--force');
    expect(errors).toContain(
      `Without 2 rows of ${csv}, which the import leaves out too; the first is line 3: Expected Number of Columns: 2 Found: 1\n`,
    );
    expect(schemaOf('dirty')).toMatchObject([
      { name: 'n', type: 'INTEGER' },
      { name: 's', type: 'STRING' },
    ]);
  });

  test('takes the kind of nearly all values, and says where another one is', async () => {
    const lines = Array.from({ length: 300 }, (_, at) => `{"n":${at},"r":{"a":[${at}]}}`);
    lines[150] = '{"n":1,"r":"x"}';
    lines[200] = '{"n":1,"r":{"a":["x"]}}';
    const data = write('odd.ndjson', lines.join('\n'));
    const { errors } = await run('tables', 'add', 'odd', data);
    expect(errors).toContain(
      'The types are those of the other rows where 2 of 300 have a value of another kind; the first is line 151: r is a string\n',
    );
    expect(schemaOf('odd')).toMatchObject([
      { name: 'n', type: 'INTEGER' },
      { name: 'r', type: 'RECORD', fields: [{ name: 'a', type: 'INTEGER', mode: 'REPEATED' }] },
    ]);
  });

  test('says that texts are all integers, as BigQuery exports them, and that a name is reserved', async () => {
    const rows = [
      '{"n":"5","f":"1.5","b":"true","id":"007","r":[{"n":"1"}],"group":"x"}',
      '{"n":"12","f":"2","b":"false","id":"12","r":[],"group":null}',
    ];
    const { errors } = await run('tables', 'add', 'extract', write('extract.ndjson', rows.join('\n')));
    const cure = 'bq show --schema prints the types of a table of BigQuery';
    expect(errors.split('\n').slice(1, -1)).toEqual([
      '  extract is a reserved word: in SQL, write `extract` in backquotes',
      '  "group" is written in backquotes in SQL: `group`',
      `  n and r.n: each is STRING, although all its texts are integers, as BigQuery exports INT64: write INTEGER if they are numbers; ${cure}`,
      `  f is STRING, although all its texts are numbers: write FLOAT or NUMERIC; ${cure}`,
      `  b is STRING, although all its texts are true or false: write BOOLEAN; ${cure}`,
    ]);
  });

  test('takes moments of ISO 8601 with different parts as TIMESTAMP, and dates in other spellings as texts', async () => {
    const rows = [
      [
        '2026-01-31T12:00:00.123Z',
        '2026-01-31T12:00:00+01:00',
        '31-01-2026',
        '31-01-2026 12:00:00',
        '2026-01-31',
      ],
      ['2026-01-31T12:00:01Z', '2026-01-31T12:00Z', '01-02-2026', '01-02-2026 12:00:00', '2026-02-01'],
    ];
    const names = ['a', 'b', 'c', 'd', 'e'];
    const lines = rows.map((values) =>
      JSON.stringify(Object.fromEntries(values.map((one, at) => [names[at], one]))),
    );
    const files = [
      write('moments.ndjson', lines.join('\n')),
      write('moments.csv', [names, ...rows].join('\n')),
    ];
    const types = ['TIMESTAMP', 'TIMESTAMP', 'STRING', 'STRING', 'DATE'];
    for (const data of files) {
      expect(await run('tables', 'add', 'moments', data, '--force')).toMatchObject({ exitCode: 0 });
      expect(schemaOf('moments')).toMatchObject(types.map((type) => ({ type })));
    }
  });

  const [max, min] = ['9223372036854775807', '-9223372036854775808'];
  const nested = (first: string, second: string) =>
    `{"n":${first},"r":{"n":${second}},"l":[${first},${second}],"s":[{"n":${second}},{"n":${first}}]}`;
  const integers = (type: string) => [
    { name: 'n', type },
    { name: 'r', fields: [{ name: 'n', type }] },
    { name: 'l', type, mode: 'REPEATED' },
    { name: 's', fields: [{ name: 'n', type }] },
  ];

  test.each([
    ['signed.ndjson', `${nested('-3', '4')}\n${nested('4', '-3')}\n`],
    ['limits.ndjson', `${nested(min, max)}\n${nested(max, min)}\n`],
    ['signed.json', `[${nested('-3', '4')}, ${nested('4', '-3')}]`],
    ['signed.ndjson.gz', gzipSync(`${nested('-3', '4')}\n${nested('4', '-3')}\n`)],
    ['signed.csv', `n\n-3\n4\n${max}\n`],
  ])('integers that fit INT64 are INTEGER, also with both signs: %s', async (name, content) => {
    writeFileSync(join(folder, name), content);
    const { errors } = await run('tables', 'add', 'integers', join(folder, name), '--force');
    expect(errors).not.toContain('NUMERIC');
    const fields = integers('INTEGER');
    expect(schemaOf('integers')).toMatchObject(name.endsWith('.csv') ? fields.slice(0, 1) : fields);
  });

  test.each([
    ['beyond.ndjson', `${nested('1', '9223372036854775808')}\n${nested('9223372036854775808', '-1')}\n`],
    ['beyond.json', nested('18446744073709551615', '18446744073709551615')],
  ])('integers beyond INT64 are NUMERIC: %s', async (name, content) => {
    const { errors } = await run('tables', 'add', 'integers', write(name, content), '--force');
    expect(errors).toContain(
      'n, r.n, l and s.n: each is NUMERIC, because some of its numbers are beyond INT64',
    );
    expect(schemaOf('integers')).toMatchObject(integers('NUMERIC'));
  });

  test('integers of several files are NUMERIC if those of one are beyond INT64', async () => {
    const files = [
      write('several_1.ndjson', '{"small":1,"large":1,"all":-1}\n'.repeat(20_001)),
      write('several_2.ndjson', '{"small":-1,"large":18446744073709551615}\n'),
    ];
    const { errors } = await run('tables', 'add', 'several_*', ...files);
    expect(errors).toContain('  large is NUMERIC, because some of its numbers are beyond INT64\n');
    expect(schemaOf('several_1')).toMatchObject([
      { name: 'small', type: 'INTEGER' },
      { name: 'large', type: 'NUMERIC' },
      { name: 'all', type: 'INTEGER' },
    ]);
  });

  test('files whose names differ in their case only are one table', async () => {
    const rows = '{"n":1}\n';
    const files = [write('Case_1.ndjson', rows), write('case_1.ndjson', rows)];
    expect(await run('tables', 'add', 'case_*', ...files)).toMatchObject({ exitCode: 0 });
    expect(readdirSync(join(queries, 'tables')).filter((name) => /^case_/i.test(name))).toHaveLength(1);
  });

  test('a column of CSV with integers and NULL is FLOAT if another file has fractions of it', async () => {
    const files = [
      write('halves_1.csv', `n,s\n${',x\n7,x\n'.repeat(10_000)}`),
      write('halves_2.csv', 'n,s\n1.5,x\n'),
    ];
    await run('tables', 'add', 'halves_*', ...files);
    expect(schemaOf('halves_1')).toMatchObject([{ name: 'n', type: 'FLOAT' }, { name: 's' }]);
  });

  test('unsigned columns of Parquet are INTEGER unless one of their numbers is beyond INT64', async () => {
    const file = join(folder, 'unsigned.parquet');
    const connection = await (await DuckDBInstance.create()).connect();
    await connection.run(
      `COPY (SELECT 1::UTINYINT AS a, i AS b, {n: i} AS c, [i] AS d, (i + 9223372036854775807)::UBIGINT AS e
        FROM (SELECT i::UBIGINT AS i FROM range(30000) AS r(i))) TO '${file}'`,
    );
    connection.closeSync();
    await run('tables', 'add', 'unsigned', file);
    expect(schemaOf('unsigned')).toMatchObject([
      { type: 'INTEGER' },
      { type: 'INTEGER' },
      { fields: [{ type: 'INTEGER' }] },
      { type: 'INTEGER', mode: 'REPEATED' },
      { type: 'NUMERIC' },
    ]);
  });

  test('columns of CSV without a name have one by their place, as for the import', async () => {
    await run('tables', 'add', 'indexed', write('indexed.csv', ',id,\n0,1,a\n'));
    expect(schemaOf('indexed')).toMatchObject([{ name: 'column0' }, { name: 'id' }, { name: 'column2' }]);
  });

  test('rows may have hundreds of fields of one type', async () => {
    const fields = Object.fromEntries(Array.from({ length: 250 }, (_, at) => [`f${at}`, at]));
    const keyed = { id: 1, byKey: fields };
    await run('tables', 'add', 'wide', write('wide.ndjson', `${JSON.stringify(fields)}\n`));
    await run('tables', 'add', 'keyed', write('keyed.ndjson', `${JSON.stringify(keyed)}\n`));
    expect(schemaOf('wide')).toHaveLength(250);
    expect(schemaOf('keyed')).toMatchObject([{ type: 'INTEGER' }, { type: 'JSON' }]);
  });

  test('a name that ends in * declares a table for each file, with the fields of all', async () => {
    const first = write(
      'events_20260131.ndjson',
      '{"a":1,"value":{"string_value":"x","double_value":null}}\n',
    );
    const second = write(
      'events_20260201.ndjson',
      '{"a":2,"b":"y","c":null,"mixed":{"k":[1]}}\n{"mixed":"text"}\n',
    );
    const { exitCode, errors } = await run('tables', 'add', 'events_*', first, second);
    expect(exitCode).toBe(0);
    expect(errors).toContain('value.double_value is FLOAT, as its name says: the rows have no value of it');
    expect(errors).toContain('c is STRING: the rows have no value of it');
    expect(errors).toContain('mixed is JSON, because its rows have values of several types');
    expect(schemaOf('events_20260131')).toEqual(schemaOf('events_20260201'));
    expect(schemaOf('events_20260201')).toMatchObject([
      { name: 'a', type: 'INTEGER' },
      { name: 'value', fields: [{ type: 'STRING' }, { type: 'FLOAT' }] },
      { name: 'b', type: 'STRING' },
      { name: 'c', type: 'STRING' },
      { name: 'mixed', type: 'JSON' },
    ]);
    for (const [args, message] of [
      [['other', first, second], "got 2 files for one table; 'other*', in quotes"],
      [['other*', first], 'events_20260131.ndjson is named after no table of other*'],
      [['events_*'], 'needs data files that are named after their tables'],
    ] as const) {
      expect((await run('tables', 'add', ...args)).errors).toContain(message);
    }
  });

  test.each([
    ['empty.csv', '', 'has no header line'],
    ['empty.ndjson', '', 'has no rows, which would show the fields'],
    ['nothing.ndjson', '{}\n', 'has no fields'],
    ['semicolons.csv', 'a;b\n1;2,5\n2;3,5\n', 'must have values separated by commas, found ;'],
    ['tabs.csv', 'a\tb\n1\t2\n', 'must have values separated by commas, found tabs'],
    [
      'latin.csv',
      Buffer.from('Gr\xf6\xdfe,b\n1,2\n', 'latin1'),
      'must be UTF-8; line 1 is not: iconv -f latin1',
    ],
    ['wide.csv', Buffer.from('\uFEFFa,b\n1,2\n', 'utf16le'), 'must be UTF-8; it is UTF-16: iconv -f utf-16'],
    ['ends.csv', 'a,b\n1,2\r\n3,"x\ny"\r\n', 'line 1 ends in LF, line 2 in CRLF'],
    ['twice.csv', 'a,b,A\n1,2,3\n', 'has two columns named A'],
    ['ragged.csv', 'a,b,c\n1,2\n3,4\n', 'must be UTF-8, with as many values in each line as in the header'],
    ['ragged.csv', 'a,b,c\n1,2\n3,4\n', '; line 2: Expected Number of Columns: 3 Found: 2'],
    [
      'misspelled.json',
      '[{"name":"a","type":"STRING"},{"name":"r","type":"RECORD","fields":[{"name":"n","type":"INTERGER"}]}]',
      'misspelled.json r.n: type: must be one of STRING, BYTES, INTEGER',
    ],
    ['same.json', '[{"name":"a","type":"STRING"},{"name":"A","type":"DATE"}]', 'A: a second field named a'],
  ])('%s is refused', async (name, text, message) => {
    const { exitCode, errors } = await run('tables', 'add', 'refused', write(name, text));
    expect(errors).toContain(message);
    expect(exitCode).toBe(1);
  });

  test('notes odd names, and a header without rows; a name may be that of SQL, with project and dataset', async () => {
    const data = write('odd.csv', '\uFEFFts,Time Local,a.b\r\n');
    const { errors } = await run('tables', 'add', '`p-1.d.odd_names`', data);
    expect(errors).toContain('All fields are STRING, because there are no rows');
    expect(errors).toContain('"Time Local" is written in backquotes in SQL: `Time Local`');
    expect(errors).toContain('"a.b" cannot be the name of a column in BigQuery');
    expect(schemaOf('odd_names')).toMatchObject([{ name: 'ts' }, { name: 'Time Local' }, { name: 'a.b' }]);
    rmSync(join(queries, 'tables', 'odd_names.json'));
  });

  test.each([
    ['ndjson', '{"Id":1}\n{"id":4,"n":[{"a":5},{"A":6}]}\n{"ID":1,"id":2}\n'],
    ['json', '[{"Id":1},{"id":4,"n":[{"a":5},{"A":6}]},{"ID":1,"id":2}]'],
  ])('keys that differ in case only are one field, as for the import: %s', async (ending, text) => {
    const { errors } = await run('tables', 'add', `cases_${ending}`, write(`cases.${ending}`, text));
    expect(errors).toContain('  id is read as Id: column names are not case-sensitive\n');
    expect(errors).toContain('the first is line 3: the key "id" occurs twice\n');
    expect(errors).toContain('  A is read as a: column names are not case-sensitive\n');
    expect(schemaOf(`cases_${ending}`)).toMatchObject([
      { name: 'Id', type: 'INTEGER' },
      { name: 'n', mode: 'REPEATED', fields: [{ name: 'a', type: 'INTEGER' }] },
    ]);
    expect(schemaOf(`cases_${ending}`)).toHaveLength(2);
  });

  test('a name may begin with a digit', async () => {
    const data = write('20260131.csv', 'a\n1\n');
    expect(await run('tables', 'add', '20260131', data)).toMatchObject({ exitCode: 0 });
  });

  test('takes what bq show prints, with or without --schema', async () => {
    const fields = [{ name: 'a', type: 'STRING', description: 'A text.' }];
    const expected = [{ name: 'a', type: 'STRING', mode: 'NULLABLE', description: 'A text.' }];
    for (const [name, output] of [
      ['plain', fields],
      ['full', { kind: 'bigquery#table', schema: { fields } }],
    ] as const) {
      expect(await run('tables', 'add', name, write(`${name}.json`, JSON.stringify(output)))).toMatchObject({
        exitCode: 0,
      });
      expect(schemaOf(name)).toEqual(expected);
    }
  });

  test('keeps fields of a schema whose types local tables lack, and says so', async () => {
    const other = { name: 'area', type: 'GEOGRAPHY' };
    const fields = [other, { name: 'a', type: 'RECORD', fields: [other, { name: 'b', type: 'INT64' }] }];
    const { errors } = await run(
      'tables',
      'add',
      'areas',
      write('areas.json', `\uFEFF${JSON.stringify(fields)}`),
    );
    expect(errors).toContain('  area is kept in the file only: local tables have no GEOGRAPHY\n');
    expect(errors).toContain('  a.area is kept in the file only: local tables have no GEOGRAPHY\n');
    expect(schemaOf('areas')).toMatchObject(fields);
  });

  test('overwrites only with --force, and refuses files that it cannot read', async () => {
    const data = write('web2.csv', 'a\n1\n');
    expect((await run('tables', 'add', 'web', data)).errors).toContain(
      'web.json exists already; --force replaces it',
    );
    expect((await run('tables', 'add', 'other', write('a.txt', 'a'))).errors).toContain(
      'a.txt must end in .ndjson',
    );
    const broken = await run('tables', 'add', 'other', write('broken.ndjson', '{"a":\n'));
    expect(broken.exitCode).toBe(1);
    expect(broken.errors).toContain('broken.ndjson cannot be read');
    expect(existsSync(join(queries, 'tables', 'other.json'))).toBe(false);
  });
});

describe('querygate new', () => {
  const sql = `SELECT status, COUNT(*) AS requests
FROM web AS w
WHERE w.project = @project AND w.ts > TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 7 DAY) AND status >= @at_least
GROUP BY status;
`;
  const file = join(queries, 'web.by-status.sql');
  const written = () => readFileSync(file, 'utf8');

  test('writes a file that compiles, and says what it proposes', async () => {
    const { exitCode, errors } = await run('new', 'web.by-status', write('in.sql', sql));
    expect(exitCode).toBe(0);
    expect(written()).toMatch(/^\/\*---\n/);
    expect(written()).toContain('AND status >= @at_least\nGROUP BY status\n');
    expect(written()).toMatch(/project:\n {4}type: string\n.*\n {4}required: true\n {4}tenant: true\n/);
    expect(written()).toMatch(/at_least:\n {4}type: integer\n.*\n {4}bind: INT64\n/);
    expect(written()).toMatch(
      / {2}requests:\n {4}type: integer\n {4}required: true\n {4}description: "Fill in: /,
    );
    expect(errors).toContain('@project is the tenant, because it is compared with project');
    expect(errors).toContain('Could be parameters (with --parameter days):');
    expect(errors).toContain('INTERVAL 7 DAY → INTERVAL @days DAY');
  });

  test('check lists the texts to fill in, and is content when they are filled in', async () => {
    const { exitCode, errors } = await run('check');
    expect(exitCode).toBe(1);
    const line =
      written()
        .split('\n')
        .findIndex((one) => one.startsWith('description:')) + 1;
    expect(errors).toContain(
      `web.by-status.sql:${line} description: is not filled in yet: what the query returns`,
    );
    expect(errors.match(/is not filled in yet/g)).toHaveLength(5);
    writeFileSync(file, written().replaceAll('Fill in: ', 'It is '));
    expect(await run('check')).toMatchObject({
      exitCode: 0,
      output: expect.stringMatching(/^1 saved query is valid$/m),
    });
  });

  test('--force keeps the id and what was filled in; nothing is overwritten without it', async () => {
    const before = written();
    const refused = await run('new', 'web.by-status', write('in.sql', sql));
    expect(refused).toMatchObject({ exitCode: 1 });
    expect(refused.errors).toContain('exists already; --force replaces it');
    expect(written()).toBe(before);
    const wider = sql.replace('COUNT(*) AS requests', 'COUNT(*) AS requests, MAX(ts) AS last');
    expect(await run('new', 'web.by-status', write('in.sql', wider), '--force')).toMatchObject({
      exitCode: 0,
    });
    expect(written().split('\n')[1]).toBe(before.split('\n')[1]);
    expect(written()).toContain('It is what requests contains.');
    expect(written()).toContain(
      '  last:\n    type: timestamp\n    required: true\n    description: "Fill in: what last contains."\n',
    );
  });

  test('--force refuses a header whose id it cannot read', async () => {
    const broken = queryText({ name: 'web.broken', columns: { n: 'integer' }, sql: 'SELECT 1 AS n' }).replace(
      'caching:',
      'caching: [',
    );
    const file = join(queries, 'web.broken.sql');
    writeFileSync(file, broken);
    const { exitCode, errors } = await run('new', 'web.broken', write('in.sql', sql), '--force');
    expect(readFileSync(file, 'utf8')).toBe(broken);
    rmSync(file);
    expect(exitCode).toBe(1);
    expect(errors).toMatch(/cannot be kept:\n.*web\.broken\.sql:\d+/);
  });

  test('--parameter makes a literal a parameter with a default; comments are descriptions, and columns get names', async () => {
    const text =
      "-- Requests of a host\nSELECT status, -- of the response\n  COUNT(*) FROM web WHERE request.path = '/' AND project = 'abc' GROUP BY 1";
    const { exitCode, errors } = await run(
      'new',
      'web.commented',
      write('in3.sql', text),
      '--parameter',
      'all',
    );
    expect(exitCode).toBe(0);
    expect(errors).toContain("'abc' → @project");
    expect(errors).toContain('AS count');
    const file = readFileSync(join(queries, 'web.commented.sql'), 'utf8');
    expect(file).toContain('description: Requests of a host.\n');
    expect(file).toContain('description: Of the response.');
    expect(file).toMatch(
      /project:\n {4}type: string\n.*\n {4}required: true\n {4}example: abc\n {4}tenant: true\n/,
    );
    rmSync(join(queries, 'web.commented.sql'));
  });

  test('no text of the header ends the comment that the header is', async () => {
    const text =
      "SELECT status, -- every */5 minutes\n  CASE @p WHEN 'a*/b' THEN 1 END AS x FROM web WHERE project = '*/'";
    await run('new', 'web.comment-ends', write('in5.sql', text), '--parameter', 'all');
    const written = readFileSync(join(queries, 'web.comment-ends.sql'), 'utf8');
    expect(written.indexOf('*/')).toBe(written.indexOf('---*/\n') + 3);
    expect(written).toContain('description: "Every *\\/5 minutes."');
    expect(written).toContain('"a*\\/b":\n');
    rmSync(join(queries, 'web.comment-ends.sql'));
  });

  test('a table that is not declared: the command that declares it', async () => {
    const { exitCode, errors } = await run('new', 'other', write('in2.sql', 'select a from payments'));
    expect(exitCode).toBe(1);
    expect(errors).toContain('in2.sql:1:15 no table is named payments');
    expect(errors).toContain('  1 | select a from payments\n    |               ^^^^^^^^\n');
    expect(errors).toContain('querygate tables add payments <data file');
    expect(existsSync(join(queries, 'other.sql'))).toBe(false);
  });

  test('Windows line ends, a byte order mark and semicolons are left out', async () => {
    const text = '\uFEFF\r\nSELECT status,\r\n\tCOUNT(*) AS n\r\nFROM `p.d.web`\r\nGROUP BY status ; ;\r\n';
    expect(await run('new', 'web.windows', write('windows.sql', text))).toMatchObject({ exitCode: 0 });
    const file = join(queries, 'web.windows.sql');
    expect(readFileSync(file, 'utf8')).toMatch(
      /---\*\/\nSELECT status,\n\tCOUNT\(\*\) AS n\nFROM `p\.d\.web`\nGROUP BY status\n$/,
    );
    rmSync(file);
  });

  test('names that check would refuse are refused at their places in the SQL', async () => {
    const sql = write('names.sql', 'SELECT 1 AS n FROM UNNEST([@Shop, @shop,\n  @format, @api_key])');
    const { errors, exitCode } = await run('new', 'names', sql);
    expect(exitCode).toBe(1);
    expect(errors).toContain(`${sql}:1:35 @shop is the same name as Shop in SQL`);
    expect(errors).toContain(`${sql}:2:3 @format is reserved for the format of a REST response`);
    expect(errors).toContain(`${sql}:2:12 @api_key is a name for API keys`);
    expect(existsSync(join(queries, 'names.sql'))).toBe(false);
  });

  test.each([
    ['endpoints', 'the GraphQL field endpoints is reserved'],
    ['web.by-status@1', 'web.by-status'],
    ['web.by.status', 'webByStatus'],
  ])('a name with which no gateway would start is refused: %s', async (name, reason) => {
    await run('new', 'web.by-status', write('in.sql', sql));
    const { errors, exitCode } = await run('new', name, write('one.sql', 'SELECT 1 AS n'));
    expect(exitCode).toBe(1);
    expect(errors).toMatch(/ is not written: no gateway would start with it:\n/);
    expect(errors).toContain(reason);
    expect(existsSync(join(queries, `${name}.sql`))).toBe(false);
  });

  test('a file that is not UTF-8 is refused at its line, by sql too', async () => {
    const sql = write('latin1.sql', Buffer.from("SELECT 1 AS n,\n'Zürich' AS x\n", 'latin1'));
    const advice = `${sql}:2 must be UTF-8: iconv -f latin1 -t utf-8`;
    expect((await run('new', 'latin', sql)).errors).toContain(advice);
    expect((await run('sql', '--file', sql)).errors).toContain(advice);
  });

  test('a wrong name and empty SQL are refused', async () => {
    expect((await run('new', 'in.sql')).errors).toContain('but no name: querygate new <name> in.sql');
    expect((await run('new', 'Bad Name', write('in.sql', sql))).errors).toContain('got the name "Bad Name"');
    expect((await run('new', 'empty')).errors).toContain('expected SQL on standard input, which is empty');
  });
});
