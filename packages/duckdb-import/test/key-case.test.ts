import { gzipSync } from 'node:zlib';
import type { Field, TableSchema } from '@querygate/bigquery-sql/table-schema';
import { afterEach, describe, expect, test } from 'vitest';
import { buildNormalizer } from '../src/read/normalize-lines.ts';
import { type ImportFolder, openImportFolder } from './import-folder.ts';

const field = (name: string, type: Field['type'], fields?: readonly Field[]): Field => ({
  ...{ name, type, mode: 'NULLABLE' },
  ...(fields && { fields }),
});
const list = (name: string, fields: readonly Field[]): Field => ({
  ...field(name, 'RECORD', fields),
  mode: 'REPEATED',
});

const logs: TableSchema = {
  name: 'logs',
  fields: [
    field('id', 'INTEGER'),
    field('s', 'STRING'),
    field('r', 'RECORD', [field('x', 'INTEGER'), field('ts', 'TIMESTAMP')]),
    list('l', [field('a', 'INTEGER')]),
    field('j', 'JSON'),
  ],
};

let folder: ImportFolder | undefined;
afterEach(async () => {
  await folder?.close();
  folder = undefined;
});

/** The reported problems, and the answer of a query, once a file is imported. */
async function importFile(table: TableSchema, name: string, content: string | Buffer, sql: string) {
  folder = await openImportFolder({}, [table]);
  folder.write(name, content);
  return { problems: await folder.sync(), rows: await folder.query(sql) };
}

describe('keys are matched without case', () => {
  const usual = '{"id":1,"s":"a usual row of a table"}\n'.repeat(60_000);
  const others = '{"ID":2,"S":"x"}\n'.repeat(1000);
  const counts = 'SELECT count(*)::INT, count(id)::INT, count(s)::INT FROM logs';

  test.each([
    ['NDJSON', 'logs.ndjson', usual + others],
    ['compressed', 'logs.ndjson.gz', gzipSync(usual + others)],
    ['an array', 'logs.json', `[${(usual + others).trim().replaceAll('\n', ',\n')}]`],
  ])('in all of a file, however far from its beginning: %s', async (_, name, content) => {
    const { problems, rows } = await importFile(logs, name, content, counts);
    expect(problems).toEqual([]);
    expect(rows).toEqual([[61_000, 61_000, 61_000]]);
  });

  test('in lines that are appended later', async () => {
    folder = await openImportFolder({}, [logs]);
    folder.write('logs.ndjson', '{"id":1}\n');
    await folder.sync();
    folder.write('logs.ndjson', '{"id":1}\n{"ID":2}\n{"Id":3}');
    await folder.sync();
    expect(await folder.ids()).toEqual([1, 2, 3]);
  });

  test('at each level by the names of that level', async () => {
    const table: TableSchema = {
      name: 'logs',
      fields: [
        field('id', 'INTEGER'),
        field('name', 'STRING'),
        field('r', 'RECORD', [field('Name', 'STRING'), field('ID', 'STRING')]),
        list('l', [field('NAME', 'STRING'), field('r', 'RECORD', [field('Id', 'INTEGER')])]),
      ],
    };
    const row =
      '{"ID":1,"Name":"a","R":{"name":"b","id":"c"},"L":[{"name":"d","R":{"ID":2}},{"NAME":"e"}]}\n';
    const sql = `SELECT id::INT, name, r.Name, r.ID, list_transform(l, lambda one: one.NAME || coalesce(one.r.Id, 0)) FROM logs`;
    const { rows } = await importFile(table, 'logs.ndjson', row, sql);
    expect(rows).toEqual([[1, 'a', 'b', 'c', ['d2', 'e0']]]);
  });

  test('also of letters that are not ASCII, of names with quotes, and written as escapes', async () => {
    const names = ['größe', 'a "b"', 'État', 'id'];
    const table: TableSchema = { name: 'logs', fields: names.map((name) => field(name, 'INTEGER')) };
    const lines = [
      '{"größe":1,"a \\"b\\"":1,"État":1,"id":1}',
      '{"GRÖßE":2,"A \\"B\\"":2,"état":2,"ID":2}',
      '{"GR\\u00d6\\u00dfE":3,"a \\u0022B\\u0022":3,"\\u00c9tat":3,"\\u0049d":3}',
    ];
    const { rows } = await importFile(
      table,
      'logs.ndjson',
      lines.join('\n').concat('\n'),
      'SELECT * FROM logs',
    );
    expect(rows.map((row) => row.map(Number))).toEqual([1, 2, 3].map((value) => names.map(() => value)));
  });

  test('within records that CSV has as JSON text', async () => {
    const cells = ['"{""X"":1,""TS"":""2024-01-01T00:00:00Z""}"', '"[{""A"":5}]"'].join();
    const sql = `SELECT r.x::INT, r.ts::VARCHAR, l[1].a::INT FROM logs`;
    const { problems, rows } = await importFile(logs, 'logs.csv', `R,l\n${cells}\n`, sql);
    expect(problems).toEqual([]);
    expect(rows).toEqual([[1, '2024-01-01 00:00:00+00', 5]]);
  });
});

describe('a key in another case changes nothing else', () => {
  const lines = [
    '{"id":7,"id":8}',
    '{"id":9,"j":{"k":1,"K":3,"k":2}}',
    '{"id":11,"r":{"x":1,"x":2}}',
    '{"id":12,"j":12345678901234567890,"s":1.50}',
    '{"id":13,"s":{"b": 1, "a":1, "a":2}}',
    '{"id":14,"s":1e400}',
    '{"id":15,"s":-0.0,"j":[1.0,1e2,-0,1E5]}',
    '{"id":16,"s":"\\"ID\\":1","j":{"ID":1,"R":{"X":1}}}',
    '{"id":17,"other":{"ID":1,"r":{"X":1}},"s":"x"}',
  ];

  test('duplicate keys, JSON and numbers are those of a file without one', async () => {
    const rowsOf = async (content: string) => {
      const sql = 'SELECT id, s, r.x, j::VARCHAR FROM logs WHERE id > 1 ORDER BY id';
      const { problems, rows } = await importFile(logs, 'logs.ndjson', content, sql);
      const reasons = await folder?.query(
        'SELECT line::INT, reason FROM store."import".rejects ORDER BY line',
      );
      await folder?.close();
      return { reported: problems.length, rows, reasons };
    };
    const without = await rowsOf(`{"id":1}\n${lines.join('\n')}\n`);
    const beside = await rowsOf(`{"ID":1}\n${lines.join('\n')}\n`);
    const all = await rowsOf(`{"ID":1}\n${lines.join('\n').replaceAll('{"id"', '{"ID"')}\n`);
    folder = undefined;
    expect(without.reasons).toEqual([
      [2, 'the key "id" occurs twice'],
      [4, 'the key "x" occurs twice'],
    ]);
    expect(without.rows).toHaveLength(7);
    expect(beside).toEqual(without);
    expect(all).toEqual(without);
  });

  test('two keys that differ in case are one key that occurs twice', async () => {
    const { problems } = await importFile(logs, 'logs.ndjson', '{"id":3,"ID":4}\n{"id":1}\n', 'SELECT 1');
    expect(problems).toEqual(['logs.ndjson:1: the key "id" occurs twice']);
    expect(await folder?.ids()).toEqual([1]);
  });
});

test.each([
  [
    '{"s":"{\\"ID\\":1}", "ID" : 1 , "R" :{ "X":[{"ID":1}], "id":2}}',
    '{"s":"{\\"ID\\":1}", "id" : 1 , "r" :{ "x":[{"ID":1}], "id":2}}',
  ],
  ['{"S":"no end\n{"ID":1,"Q":{"ID":1}}', '{"s":"no end\n{"id":1,"Q":{"ID":1}}'],
  ['{"S":"no end\\\n{"ID":1}', '{"s":"no end\\\n{"id":1}'],
  [']}{"ID":1}}}\n{"ID":{"ID":1}}\n"ID":1', ']}{"ID":1}}}\n{"id":{"ID":1}}\n"ID":1'],
  ['{"\\ud800ID":1,"\\x":1,"ID":1,"ID"', '{"\\ud800ID":1,"\\x":1,"id":1,"ID"'],
  [
    '{"J":{"ID":[{"X":1}]},"L":[[{"A":1}],{"A":{"A":1}}]}\r',
    '{"j":{"ID":[{"X":1}]},"l":[[{"a":1}],{"a":{"A":1}}]}\r',
  ],
  ['{"s":"ID","S":"a,]"}', '{"s":"ID","s":"a,]"}'],
])('only keys of declared fields are rewritten: %j', (text, expected) => {
  expect(buildNormalizer(logs.fields)(Buffer.from(`${text}\n`)).toString()).toBe(`${expected}\n`);
});

test.each([
  ['{"id":28,}', '{"id":1,"s":",}"}'],
  ['{"id":28,"r":{"x":1, }}', '{"id":1,"s":",]"}'],
  ['{"id":28,"l":[{"a":1},\t]}', '{"id":1,"s":"a,\\"]"}'],
  ['{"id":28,"j":[1,]}', '{"id":1,"j":[",]"]}'],
])('a comma before a closing bracket is not JSON: %s', async (bad, good) => {
  const { problems } = await importFile(logs, 'logs.ndjson', `${bad}\n${good}\n`, 'SELECT 1');
  expect(problems).toEqual([expect.stringMatching(/^logs\.ndjson:1: not JSON: /)]);
  expect(await folder?.ids()).toEqual([1]);
});

test.each([
  ['[{"id":1},{"id":2},]', 3],
  ['[{"id":1},,{"id":2}]', 2],
  ['[ {"id":1} , {"id":2} , ]\n', 3],
])('a comma without a value after it is a row that is not JSON: %s', async (text, row) => {
  const { problems } = await importFile(logs, 'logs.json', text, 'SELECT 1');
  expect(problems).toEqual([expect.stringMatching(new RegExp(`^logs\\.json: row ${row}: not JSON: `))]);
  expect(await folder?.ids()).toEqual([1, 2]);
});

test.each(['', '\uFEFF', '\uFEFF\r\n', '\n\n'])(
  'CSV without a line that has text is empty: %j',
  async (text) => {
    const { problems } = await importFile(logs, 'logs.csv', text, 'SELECT 1');
    expect(problems).toEqual([]);
    expect(await folder?.ids()).toEqual([]);
  },
);
