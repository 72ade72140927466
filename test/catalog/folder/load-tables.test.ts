import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { misplacedFiles } from '../../../src/catalog/folder/misplaced-files.ts';
import { loadTables, parseTableFile } from '../../../src/catalog/folder/load-tables.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tables-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const write = (name: string, text: string) => writeFileSync(join(folder, name), text);

/** The problems of one table file with these lines, as `line message`. */
const problemsOf = (...lines: readonly string[]) => {
  write('t.json', lines.join('\n'));
  const { tables, problems } = loadTables(folder);
  expect(tables).toEqual([]);
  expect(new Set(problems.map(({ file }) => file))).toEqual(new Set([join(folder, 't.json')]));
  return problems.map(({ line, message }) => `${line} ${message}`);
};

test('hidden files, such as those of editors, are not tables', () => {
  write('.#t.json', '');
  write('._t.json', '');
  expect(loadTables(folder)).toEqual({ tables: [], problems: [] });
});

test('files that are probably misplaced have a warning each, and others none', () => {
  const files = {
    ...{ 'a.sql': '', 'Big.SQL': '', 'notes.txt': '', 'tables/orders.json': '', 'tables/Orders.JSON': '' },
    ...{
      'table/edge2.json': '',
      'test/x.yaml': '',
      'archive/old.sql': '',
      'test2/x.txt': '',
      'views/v.sql': '',
    },
    ...{ 'queries/y.sql': '', 'tests/a.yml': '', 'tests/rows.json': '', 'tests/sub/x.yaml': '' },
    ...{ 'sub/inner.sql': '/*---\n---*/', 'sub/deep/er.sql': '/*---\n---*/', 'sub/plain.sql': 'SELECT 1' },
    ...{ 'tables/sub/x.json': '', 'tables/x.yaml': '', 'tables/README.md': '', 'views/w.json': '' },
    ...{ 'views/sub/v.sql': '', 'views/sub/V2.SQL': '', 'checks/A.SQL': '', 'checks/b.yaml': '' },
    ...{ 'b.txt': '/*---\n---*/', 'b.sql.txt': '/*---\n---*/', 'dir.sql/x.md': '' },
    ...{ 'views/v.txt': '-- A view.\nCREATE VIEW v AS SELECT 1 AS n', 'views/list.txt': 'v' },
    ...{ 'prompts/sub/x.md': '', 'prompts/x.yaml': '', 'tests/x.sql': '' },
  };
  const queries = join(folder, 'queries');
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(queries, path)), { recursive: true });
    writeFileSync(join(queries, path), text);
  }
  expect(
    misplacedFiles(queries)
      .map((one) => one.replaceAll(queries, 'q'))
      .sort(),
  ).toEqual([
    'q/Big.SQL is not read: its name must end with .sql',
    'q/b.sql.txt is not read: its name must end with .sql',
    'q/b.txt is not read: its name must end with .sql',
    'q/checks/b.yaml is not read: its name must end with .sql',
    'q/dir.sql is not read: it is a folder',
    'q/prompts/sub/x.md is not read: only files of q/prompts itself are',
    'q/prompts/x.yaml is not read: its name must end with .md',
    'q/queries is not read: saved queries are files of q itself',
    'q/sub/deep/er.sql is not read: saved queries are files of q itself',
    'q/sub/inner.sql is not read: saved queries are files of q itself',
    'q/table is not read; did you mean tables?',
    'q/tables/Orders.JSON is not read: its name must end with .json',
    'q/tables/sub/x.json is not read: only files of q/tables itself are',
    'q/tables/x.yaml is not read: its name must end with .json',
    'q/test is not read; did you mean tests?',
    'q/tests/sub/x.yaml is not read: only files of q/tests itself are',
    'q/tests/x.sql is not read: its name must end with .yaml',
    'q/views/sub/V2.SQL is not read: its name must end with .sql',
    'q/views/v.txt is not read: its name must end with .sql',
    'q/views/w.json is not read: its name must end with .sql',
  ]);
  expect(misplacedFiles('queries')).toEqual([]);
  expect(misplacedFiles(join(folder, 'none'))).toEqual([]);
});

test('a pipe is never opened to see whether it is misplaced, and a file too large for SQL is not read', () => {
  write('b.txt', `/*---\n---*/${' '.repeat(1024 * 1024)}`);
  mkdirSync(join(folder, 'sub'));
  for (const name of ['a.txt', 'sub/a.sql']) execFileSync('mkfifo', [join(folder, name)]);
  expect(misplacedFiles(folder)).toEqual([]);
});

test.each([
  ['ds.t24', "the name is the last part of the table's, without data set and project: t24.json"],
  [
    'events_*',
    'the name is that of one table: querygate tables add declares a table for each file of a wildcard',
  ],
  ['a`b', 'the name has no backquotes, and no blanks at its ends'],
])('a file whose name no query can have is refused: %s', (name, message) => {
  const fields = JSON.stringify([{ name: 'a', type: 'STRING' }]);
  expect(parseTableFile(`q/tables/${name}.json`, { text: fields }).problems).toEqual([
    { file: `q/tables/${name}.json`, message },
  ]);
});

test.each([
  ['VARCHAR', '; did you mean STRING?'],
  ['array<string>', '; did you mean STRING?; beside it, "mode": "REPEATED"'],
  ['NUMERIC(10,2)', '; did you mean NUMERIC?; beside it, "precision": "10", "scale": "2"'],
  ['VARCHAR(20)', '; did you mean STRING?; beside it, "maxLength": "20"'],
  ['INTEGR', '; did you mean INTEGER?'],
])('a type of SQL or of another database has the form that a file takes: %s', (type, meant) => {
  const [problem] = parseTableFile('t.json', { text: JSON.stringify([{ name: 'a', type }]) }).problems;
  expect(problem?.message).toMatch(/^type: must be one of STRING, .*, INTERVAL;/);
  expect(problem?.message.endsWith(`INTERVAL${meant}`)).toBe(true);
});

describe('loadTables', () => {
  test('reads the shipped tables', () => {
    const { tables, problems } = loadTables('queries/tables');
    expect(problems).toEqual([]);
    expect(tables.map(({ name }) => name)).toEqual([
      'auth_logs',
      'edge_logs',
      'function_edge_logs',
      'function_logs',
      'pgbouncer_logs',
      'postgres_logs',
      'postgrest_logs',
      'realtime_logs',
      'storage_logs',
    ]);
    for (const { fields } of tables) {
      expect(fields.slice(0, 3).map(({ name, type }) => `${name} ${type}`)).toEqual([
        'id STRING',
        'timestamp TIMESTAMP',
        'event_message STRING',
      ]);
      expect(fields.at(-1)).toMatchObject({ name: 'metadata', type: 'RECORD', mode: 'REPEATED' });
    }
  });

  test('reads what bq prints: the default mode is NULLABLE, unknown keys are dropped', () => {
    write('t.json', '[{"name":"a","type":"string","policyTags":{"names":[]}}]');
    expect(loadTables(folder)).toEqual({
      tables: [{ name: 't', fields: [{ name: 'a', type: 'STRING', mode: 'NULLABLE' }] }],
      problems: [],
    });
  });

  test('drops nothing that bq prints as if it were misspelt', () => {
    const others = {
      ...{ policyTags: { names: [] }, dataPolicies: [], categories: { names: [] }, nameAlternative: ['b'] },
      ...{
        defaultValueExpression: '1',
        roundingMode: 'ROUND_HALF_EVEN',
        collation: 'und:ci',
        maxLength: '9',
      },
      ...{ precision: '9', scale: '2', rangeElementType: { type: 'DATE' }, timestampPrecision: '6' },
      ...{
        foreignTypeDefinition: 'x',
        generatedColumn: {},
        identityColumn: {},
        note: 'mine',
        comment: 'mine',
      },
    };
    write('t.json', JSON.stringify([{ name: 'a', type: 'STRING', ...others }]));
    expect(loadTables(folder).problems).toEqual([]);
  });

  test.each([
    ['"mod": "REPEATED"', 'mod; did you mean mode?'],
    ['"Mode": "REPEATED"', 'Mode; did you mean mode?'],
    ['"repeated": true', 'repeated; write "mode": "REPEATED"'],
    ['"Required": true', 'Required; write "mode": "REQUIRED"'],
    ['"nullable": false', 'nullable; write "mode": "REQUIRED"'],
    ['"descripton": "A."', 'descripton; did you mean description?'],
  ])('a misspelt property of a field is reported: %s', (property, message) => {
    expect(problemsOf('[', `{ "name": "a", "type": "STRING", ${property} }`, ']')).toEqual([
      `2 unknown: ${message}`,
    ]);
    expect(
      problemsOf(
        '[{ "name": "r", "type": "RECORD", "fields": [',
        `{ "name": "a", "type": "STRING", ${property} }`,
        ']}]',
      ),
    ).toEqual([`2 unknown: ${message}`]);
  });

  test('takes out fields of types that local data does not have', () => {
    const place = { name: 'place', type: 'geography' };
    const record = (name: string, ...fields: readonly object[]) => ({ name, type: 'RECORD', fields });
    const a = { name: 'a', type: 'STRING', mode: 'NULLABLE' };
    write('t.json', JSON.stringify([place, record('r', a, place), record('only', place)]));
    expect(loadTables(folder)).toEqual({
      tables: [
        {
          name: 't',
          fields: [
            {
              ...record('r', a),
              mode: 'NULLABLE',
              absent: [{ name: 'place', type: 'GEOGRAPHY' }],
            },
          ],
          absent: [
            { name: 'place', type: 'GEOGRAPHY' },
            { name: 'only', type: 'RECORD' },
          ],
        },
      ],
      problems: [],
    });
  });

  test('a table needs a field that local data has', () => {
    write('t.json', '[{"name":"a","type":"RANGE"}]');
    expect(loadTables(folder).problems).toMatchObject([
      { message: 'at least one field is needed that is not GEOGRAPHY, RANGE, INTERVAL' },
    ]);
  });

  test('a folder that does not exist has no tables', () => {
    expect(loadTables(join(folder, 'missing'))).toEqual({ tables: [], problems: [] });
  });

  test('invalid JSON is reported with its line', () => {
    expect(problemsOf('[', '  { "name": "a", "type": "STRING" }', '  { "name": "b" }', ']')).toEqual([
      expect.stringMatching(/^3 /),
    ]);
  });

  test('every problem of a file is reported, each with its line', () => {
    expect(
      problemsOf(
        '[',
        '  { "name": "a", "type": "TEXT" },',
        '  { "name": "b", "type": "STRING", "mode": "MANY" },',
        '  { "name": "c", "type": "RECORD" },',
        '  { "name": "d", "type": "STRING", "fields": [{ "name": "e", "type": "STRING" }] },',
        '  { "type": "STRING" }',
        ']',
      ),
    ).toEqual([
      expect.stringMatching(/^2 type: .*STRING.*RECORD/),
      expect.stringMatching(/^3 mode: .*NULLABLE/),
      '4 a RECORD needs fields',
      '5 only a RECORD has fields, not a STRING',
      expect.stringMatching(/^6 name: /),
    ]);
  });

  test('two fields with the same name are rejected, also if only the case differs', () => {
    expect(
      problemsOf(
        '[{ "name": "r", "type": "RECORD", "fields": [',
        '  { "name": "a", "type": "STRING" },',
        '  { "name": "A", "type": "STRING" }',
        ']}]',
      ),
    ).toEqual(['3 a second field named a']);
  });

  test('a schema that is not an array is rejected', () => {
    expect(problemsOf('{ "fields": [] }')).toEqual([
      '1 must be an array of fields, as bq show --schema prints it',
    ]);
  });

  test('two files whose names differ only in case are rejected; the others are loaded', () => {
    write('t.json', '[{"name":"a","type":"STRING"}]');
    write('T.json', '[{"name":"a","type":"STRING"}]');
    write('u.json', '[{"name":"a","type":"STRING"}]');
    const { tables, problems } = loadTables(folder);
    expect(tables.map(({ name }) => name)).toEqual(['T', 'u']);
    expect(problems).toEqual([
      {
        file: join(folder, 't.json'),
        message: 'the same table as T.json: table names are not case-sensitive',
      },
    ]);
  });
});

test.each([
  [
    'a beside',
    [
      { name: 'a', type: 'RECORD', fields: [{ name: 'b', type: 'DATE' }] },
      { name: 'a.B', type: 'DATE' },
    ],
    '`a.B` and `a`.`b`',
  ],
  [
    'before',
    [
      { name: 'a.b', type: 'DATE' },
      { name: 'A', type: 'RECORD', fields: [{ name: 'b', type: 'DATE' }] },
    ],
    '`a.b` and `A`.`b`',
  ],
  [
    'nested',
    [
      {
        ...{ name: 'a', type: 'RECORD' },
        fields: [
          { name: 'b', type: 'RECORD', fields: [{ name: 'c', type: 'DATE' }] },
          { name: 'b.c', type: 'RECORD', fields: [{ name: 'x', type: 'DATE' }] },
        ],
      },
    ],
    '`b.c` and `b`.`c`',
  ],
])('two fields of one path are refused once: %s', (_, fields, named) => {
  expect(problemsOf(JSON.stringify(fields))).toEqual([`1 ${named} have one path: rename one of them`]);
});

test('a field with the name of a column of the store is refused', () => {
  expect(problemsOf('[{ "name": "#File", "type": "DATE" }]')).toEqual([
    '1 #file is a column of the store: rename it',
  ]);
});
