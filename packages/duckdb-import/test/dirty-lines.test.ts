import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Field, TableSchema } from '@querygate/bigquery-sql/table-schema';
import { nightly } from '../../../test/support/nightly.ts';
import { type ImportFolder, openImportFolder } from './import-folder.ts';

const text = (name: string): Field => ({ name, type: 'STRING', mode: 'NULLABLE' });
const integer = (name: string): Field => ({ name, type: 'INTEGER', mode: 'NULLABLE' });
const record: Field = { name: 'r', type: 'RECORD', mode: 'NULLABLE', fields: [integer('a')] };

/** Files of one, two and many columns: dirt may look like a row of few columns. */
const widths: Readonly<Record<string, readonly Field[]>> = {
  one: [integer('n')],
  two: [integer('n'), text('s')],
  many: [integer('n'), text('s'), record, ...Array.from({ length: 17 }, (_, at) => text(`c${at}`))],
};

/** What becomes of a line: a number for `n` of a row, `null` for a row without it, `blank`, or why it is left out. */
type Fate = number | null | 'blank' | RegExp;

const latin1 = (line: string) => Buffer.from(line, 'latin1');

const json: readonly (readonly [what: string, line: string | Buffer, fate: Fate])[] = [
  ['a row', '{"n":1}', 1],
  ['CRLF', '{"n":2}\r', 2],
  ['spaces around', '  {"n":3}  ', 3],
  ['blank', '', 'blank'],
  ['blank with CR', '\r', 'blank'],
  ['spaces only', '   ', /(?:)/],
  ['cut', '{"n":4,"s":"abc', /not JSON/],
  ['cut after a key', '{"n":', /not JSON/],
  ['no JSON', 'ERROR: disk full', /not JSON/],
  ['no JSON with a comma', 'a,b', /not JSON/],
  ['two rows', '{"n":5}{"n":6}', /not JSON/],
  ['a key twice', '{"n":7,"n":8}', /^the key "n" occurs twice$/],
  ['null', 'null', /^must be an object, not null$/],
  ['null with CR', 'null\r', /^must be an object, not null$/],
  ['null with spaces', '  null ', /^must be an object, not null$/],
  ['an array', '[{"n":9}]', /Expected OBJECT, but got ARRAY/],
  ['a number', '10', /Expected OBJECT/],
  ['a text', '"n"', /Expected OBJECT/],
  ['true', 'true', /Expected OBJECT/],
  ['an empty object', '{}', null],
  ['another key only', '{"other":{"n":1}}', null],
  ['a fraction', '{"n":500.7}', /^n: 500\.7 is not an integer$/],
  [
    'a number beyond 2^53',
    '{"n":1e18}',
    /^n: 1\d*\.0 is not an integer, as a number of JSON may have lost digits: write it as a text$/,
  ],
  ['a boolean', '{"n":true}', /^n: true is not an integer$/],
  ['a word', '{"n":"x"}', /^n: "x" is not an integer$/],
  ['a record for a number', '{"n":{"a":1}}', /^n: \{…\} is not an integer$/],
  ['a list for a number', '{"n":[1]}', /^n: \[…\] is not an integer$/],
  ['not UTF-8', latin1('{"n":11,"s":"\xff"}'), /UTF-8/],
  ['NUL', '{"n":12,"s":"a\0b"}', /not JSON/],
  ['NUL only, as a file has that was cut by a crash', '\0\0\0', /not JSON/],
  ['NUL and spaces', ' \0 ', /not JSON/],
  ...Array.from({ length: 32 }, (_, code): readonly [string, string, Fate] => [
    `the control character ${code} only`,
    code === 10 ? '' : String.fromCharCode(code).repeat(2),
    [9, 10, 11, 12, 13].includes(code) ? 'blank' : /not JSON/,
  ]),
  ['NUL as an escape', '{"n":13,"other":"a\\u0000b"}', 13],
  ['a row after all that', '{"n":14}', 14],
];

/** The same for CSV with the header `n`, `n,s` or more; the cells after the first are added to each line. */
const csv: readonly (readonly [what: string, cells: string | Buffer, fate: Fate])[] = [
  ['a row', '1', 1],
  ['a fraction', '1.5', /^n: "1\.5" is not an integer$/],
  ['a boolean', 'true', /^n: "true" is not an integer$/],
  ['a word', 'x', /^n: "x" is not an integer$/],
  ['quotes', '"2"', 2],
  ['a quoted empty text', '""', /^n: "" is not an integer$/],
  ['a row after all that', '3', 3],
];

const tables: readonly TableSchema[] = Object.entries(widths).flatMap(([width, fields]) =>
  ['json', 'gz', 'bom', 'csv', 'csvgz'].map((kind) => ({ name: `${width}_${kind}`, fields })),
);

let folder: ImportFolder;
beforeAll(async () => {
  folder = await openImportFolder({}, tables);
  const lines = Buffer.concat(json.flatMap(([, line]) => [Buffer.from(line), Buffer.from('\n')]));
  for (const [width, fields] of Object.entries(widths)) {
    folder.write(`${width}_json.ndjson`, lines);
    folder.write(`${width}_gz.ndjson.gz`, gzipSync(lines));
    folder.write(`${width}_bom.ndjson`, Buffer.concat([Buffer.from('\uFEFF'), lines]));
    const more = ',x'.repeat(fields.length - 1).replace(',x,x', ',x,');
    const rows = [fields.map(({ name }) => name).join(','), ...csv.map(([, cells]) => `${cells}${more}`), ''];
    folder.write(`${width}_csv.csv`, `\uFEFF${rows.join('\r\n')}`);
    folder.write(`${width}_csvgz.csv.gz`, gzipSync(rows.join('\n')));
  }
  await folder.sync();
}, 60_000);
afterAll(() => folder.close());

const numbers = async (table: string) =>
  (await folder.query(`SELECT n FROM ${folder.store.tables.get(table).relation} ORDER BY n NULLS FIRST`)).map(
    ([n]) => (n === null ? null : Number(n)),
  );

const rejects = async (table: string) =>
  folder.query(`SELECT line, reason FROM store."import".rejects WHERE "table" = '${table}' ORDER BY line`);

const isRow = (fate: Fate): fate is number | null => fate === null || typeof fate === 'number';

describe.each(Object.keys(widths))('a file of %s column(s)', (width) => {
  test.each([
    ['NDJSON', `${width}_json`],
    ['NDJSON in gzip', `${width}_gz`],
    ['NDJSON with a byte order mark', `${width}_bom`],
  ])('%s has every row that is one, and the reason of every other line', async (_, table) => {
    const rows = json.map(([, , fate]) => fate).filter(isRow);
    expect(await numbers(table)).toEqual([null, null, ...rows.filter((n) => n !== null)]);
    const expected = json.flatMap(([what, , fate], at) =>
      fate instanceof RegExp && what !== 'spaces only' ? [[at + 1, fate] as const] : [],
    );
    const found = await rejects(table);
    expect(found.map(([line]) => Number(line))).toEqual(expected.map(([line]) => line));
    for (const [at, [, reason]] of expected.entries()) expect(found[at]?.[1]).toMatch(reason);
  });

  test.each([
    ['CSV with a byte order mark and CRLF', `${width}_csv`],
    ['CSV in gzip', `${width}_csvgz`],
  ])('%s has every row that is one, and the reason of every other line', async (_, table) => {
    expect(await numbers(table)).toEqual(csv.map(([, , fate]) => fate).filter(isRow));
    const expected = csv.flatMap(([, , fate], at) =>
      fate instanceof RegExp ? [[at + 1, fate] as const] : [],
    );
    const found = await rejects(table);
    expect(found.map(([line]) => Number(line))).toEqual(expected.map(([line]) => line));
    for (const [at, [, reason]] of expected.entries()) expect(found[at]?.[1]).toMatch(reason);
  });
});

test('equal lines that cannot be read have their reasons by one statement', async () => {
  const folder = await openImportFolder({}, [{ name: 't', fields: [integer('n')] }]);
  const sqls: string[] = [];
  await folder.reopen({
    async connect() {
      const connection = await folder.store.connect();
      const { run } = connection;
      connection.run = (sql, ...more) => {
        sqls.push(sql);
        return run.call(connection, sql, ...more);
      };
      return connection;
    },
  });
  folder.write('t.ndjson', `${'disk full\n{"n":"x"}\n'.repeat(100)}{"n":1}\n`);
  await folder.sync();
  expect(
    await folder.query('SELECT reason, count(*) FROM "import".rejects GROUP BY reason ORDER BY reason'),
  ).toEqual([
    ['n: "x" is not an integer', 100n],
    [expect.stringMatching(/^not JSON: /), 100n],
  ]);
  // One of all lines, one of those that are left, and one of each reason.
  expect(sqls.filter((sql) => sql.startsWith('SELECT count(hash('))).toHaveLength(4);
  await folder.close();
});

nightly('a file of CSV has any number of rows that cannot be read', async () => {
  const folder = await openImportFolder({}, [{ name: 't', fields: [integer('n'), text('s')] }]);
  folder.write('t.csv', `n,s\n${'x\n'.repeat(130_000)}1,a\n`);
  expect(await folder.sync()).toEqual([
    expect.stringMatching(/^t\.csv: 130000 rows cannot be read, the first: line 2: /),
  ]);
  expect(await folder.query('SELECT n FROM t')).toEqual([[1n]]);
  await folder.close();
});
