import {
  appendFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { registerHostFunctions, sessionSettings } from '@querygate/bigquery-sql/duckdb';
import type { Field, FieldType, TableSchema } from '@querygate/bigquery-sql/table-schema';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type ConvertOptions, convertTable } from '../src/convert/convert-table.ts';
import { openImportFolder } from './import-folder.ts';

const field = (name: string, type: FieldType, more: Partial<Field> = {}): Field => ({
  ...{ name, type, mode: 'NULLABLE' },
  ...more,
});
const table = (...fields: readonly Field[]): TableSchema => ({ name: 'logs', fields });

let root: string;
let instance: DuckDBInstance;
const at = (...names: readonly string[]) => join(root, ...names);
beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'convert-'));
  mkdirSync(at('data', 'logs'), { recursive: true });
  instance = await DuckDBInstance.create(':memory:', { threads: '2' });
});
afterEach(() => {
  instance.closeSync();
  rmSync(root, { recursive: true });
});

const connect = async (): Promise<DuckDBConnection> => {
  const connection = await instance.connect();
  await connection.run(sessionSettings.join(';'));
  return connection;
};

const run = async (sql: string) => {
  const connection = await connect();
  const rows = (await connection.runAndReadAll(sql)).getRowsJson();
  connection.closeSync();
  return rows;
};

const write = (name: string, rows: readonly unknown[]) =>
  writeFileSync(at('data', 'logs', name), rows.map((row) => `${JSON.stringify(row)}\n`).join(''));

const convert = async (schema: TableSchema, more: Partial<ConvertOptions> = {}) => {
  registerHostFunctions(await connect());
  const problems: string[] = [];
  const converted = await convertTable({
    ...{ connect, table: schema, dataDir: at('data'), to: at('out'), removesSources: false },
    sortColumns: () => [],
    onProblem: (message) => problems.push(message),
    onProgress: () => {},
    signal: new AbortController().signal,
    ...more,
  }).finally(() => run('DETACH DATABASE IF EXISTS store'));
  return { ...converted, problems };
};

/** The rows of a folder as queries read them. */
const rowsOf = async (schema: TableSchema, name: string) => {
  const folder = await openImportFolder({ dataDir: at(name) }, [schema]);
  expect(await folder.sync()).toEqual([]);
  const rows = await folder.store.queryJson('SELECT * FROM logs ORDER BY ALL');
  await folder.close();
  return rows;
};

describe('a conversion', () => {
  test('names the file with a text that is not UTF-8, and not the text', async () => {
    const path = at('data', 'logs', '0.parquet');
    await run(`COPY (SELECT 'secret-xx' AS s) TO '${path}' (FORMAT parquet, COMPRESSION uncompressed)`);
    const bytes = readFileSync(path);
    for (let x = bytes.indexOf('-xx'); x >= 0; x = bytes.indexOf('-xx', x)) bytes.fill(0xff, x + 1, x + 3);
    writeFileSync(path, bytes);
    await expect(convert(table(field('s', 'STRING')))).rejects.toMatchObject({
      problems: [
        {
          message:
            'logs/0.parquet: a text of a column is not UTF-8; write it as UTF-8, or as BYTES; replace, remove or rename the file',
        },
      ],
    });
    rmSync(path);
    write('0.ndjson', [{ s: 'x' }]);
    expect(await convert(table(field('s', 'STRING')))).toMatchObject({ rows: 1, problems: [] });
  });

  const numbers = [
    ...[
      '0',
      '1',
      '-1',
      '9.99',
      '10',
      '-10',
      '12345.678',
      '-99999.5',
      '0.00000000000000000000000000000000000001',
    ],
    ...['-0.5', '99999999999999999999999999999999999999', '-12345678901234567890.12345678901234567890'],
  ];

  test('keeps each BIGNUMERIC, also in lists and records', async () => {
    const b = (mode: Field['mode']) => field('b', 'BIGNUMERIC', { mode });
    const schema = table(
      field('b', 'BIGNUMERIC'),
      field('list', 'BIGNUMERIC', { mode: 'REPEATED' }),
      field('one', 'RECORD', { fields: [b('NULLABLE'), field('bs', 'BIGNUMERIC', { mode: 'REPEATED' })] }),
      field('few', 'RECORD', { mode: 'REPEATED', fields: [b('NULLABLE')] }),
      field('many', 'RECORD', {
        mode: 'REPEATED',
        fields: [
          b('NULLABLE'),
          field('deep', 'RECORD', { mode: 'REPEATED', fields: [b('NULLABLE'), field('s', 'STRING')] }),
        ],
      }),
    );
    write('0.ndjson', [
      ...numbers.map((n) => ({
        ...{ b: n, list: [n, '1', n], one: { b: n, bs: [n] }, few: [{ b: n }] },
        many: [
          { b: n, deep: [{ b: n, s: 'x' }, { b: null }] },
          { b: '10', deep: [] },
        ],
      })),
      { b: null, list: [], one: null, few: [], many: [{ b: null }] },
      { one: {} },
    ]);
    const before = await rowsOf(schema, 'data');
    expect(await convert(schema)).toMatchObject({ rows: numbers.length + 2, files: 1, problems: [] });
    expect(await rowsOf(schema, 'out')).toEqual(before);
  });

  const types = {
    INTEGER: ['-9223372036854775808', 5],
    FLOAT: ['NaN', '-Infinity', -0, 0.1],
    NUMERIC: ['99999999999999999999999999999.999999999', '-0.000000001'],
    BIGNUMERIC: ['-10', '12345678901234567890123.5'],
    BOOLEAN: [true, false],
    STRING: ['', 'é\u0000"', '{"a":1}'],
    BYTES: ['AP8=', ''],
    DATE: ['0001-01-01', '9999-12-31'],
    TIME: ['23:59:59.999999', '00:00:00'],
    DATETIME: ['0001-01-01T00:00:00', '9999-12-31T23:59:59.999999'],
    TIMESTAMP: ['0001-01-01T00:00:00Z', '9999-12-31T23:59:59.999999Z'],
    JSON: [{ b: 1, a: [1.5, null, 'x'] }, 'text', 1e300, []],
  } satisfies Partial<Record<FieldType, readonly unknown[]>>;

  test.each(Object.entries(types) as [FieldType, readonly unknown[]][])(
    'keeps each %s',
    async (type, values) => {
      const schema = table(
        field('v', type),
        field('list', type, { mode: 'REPEATED' }),
        field('r', 'RECORD', { mode: 'REPEATED', fields: [field('v', type)] }),
      );
      const rows = [
        ...values.map((v) => ({ v })),
        { list: values, r: values.map((v) => ({ v })) },
        { r: [{}] },
      ];
      write('0.ndjson', rows);
      const before = await rowsOf(schema, 'data');
      expect(await convert(schema)).toMatchObject({ rows: rows.length, rejected: 0, problems: [] });
      expect(await rowsOf(schema, 'out')).toEqual(before);
    },
  );

  test('refuses a file whose values are not those that were read', async () => {
    write('0.ndjson', [{ id: 1 }, { id: 2 }]);
    const wrong = async () => {
      const connection = await connect();
      const { run: runSql } = connection;
      connection.run = (sql, ...more) =>
        runSql.call(connection, sql.replace(/^COPY \(SELECT "id" AS/, 'COPY (SELECT "id" + 1 AS'), ...more);
      return connection;
    };
    const converted = convert(table(field('id', 'INTEGER')), { connect: wrong, removesSources: true });
    await expect(converted).rejects.toMatchObject({
      problems: [{ message: expect.stringContaining('are not those that were read') }],
    });
    expect(readdirSync(at('data', 'logs'))).toEqual(['0.ndjson']);
  });

  test('refuses a link to the folder of the sources', async () => {
    write('0.ndjson', [{ id: 1 }]);
    symlinkSync('data', at('linked'));
    const convertTo = (to: string) => convert(table(field('id', 'INTEGER')), { to: at(to) });
    await expect(convertTo('linked')).rejects.toMatchObject({
      problems: [{ message: expect.stringContaining('is the folder of the sources') }],
    });
    mkdirSync(at('elsewhere'));
    symlinkSync('../elsewhere', at('data', 'others'));
    await expect(convertTo('elsewhere')).rejects.toMatchObject({
      problems: [{ message: expect.stringContaining('is within the folder of the sources') }],
    });
  });

  test.each([
    ['logs', 'within '],
    ['logs/new', 'within '],
    ['LOGS.d/new', 'within '],
    ['others', 'within '],
    ['.', ''],
  ])('refuses a folder whose files would be sources: %s', async (to, where) => {
    write('0.ndjson', [{ id: 1 }]);
    await expect(convert(table(field('id', 'INTEGER')), { to: at('data', to) })).rejects.toMatchObject({
      problems: [{ message: expect.stringContaining(`is ${where}the folder of the sources`) }],
    });
    expect(readdirSync(at('data', 'logs'))).toEqual(['0.ndjson']);
  });

  test.each(['logs/_new', '.new', '../datas'])('makes files in %s, which are not sources', async (to) => {
    write('0.ndjson', [{ id: 1 }]);
    const schema = table(field('id', 'INTEGER'));
    expect(await convert(schema, { to: at('data', to) })).toMatchObject({ rows: 1, files: 1 });
    expect(await rowsOf(schema, 'data')).toEqual([['1']]);
  });

  test('says that the disk is full, and goes on once it has room', async () => {
    write('0.ndjson', [{ id: 1 }, { id: 2 }]);
    const onFullDisk = async () => {
      const connection = await connect();
      const { run: runSql } = connection;
      connection.run = (sql, ...more) =>
        /^INSERT INTO store.stored/.test(sql)
          ? Promise.reject(new Error('IO Error: Could not write file "x": No space left on device'))
          : runSql.call(connection, sql, ...more);
      return connection;
    };
    const schema = table(field('id', 'INTEGER'));
    await expect(convert(schema, { connect: onFullDisk })).rejects.toMatchObject({
      problems: [
        {
          message:
            'the import is paused: the disk of the store or of its temporary files is full; the same command goes on once it has room',
        },
      ],
    });
    expect(await convert(schema)).toMatchObject({ rows: 2, files: 1 });
  });

  describe('that removes sources', () => {
    const schema = table(field('id', 'INTEGER'));
    const stop = (line: string) => {
      if (line.startsWith('writing 100')) throw new Error('stopped');
    };
    /** A conversion that has ended before it removes sources; then the record of a source is another one. */
    const wrongRecord = async (sql: string) => {
      write('0.ndjson', [{ id: 1 }, { id: 2 }]);
      writeFileSync(at('data', 'logs', '1.csv'), 'id\n3\n4\n');
      writeFileSync(at('data', 'logs', '2.json'), '[{"id":5},{"id":6}]');
      await run(
        `COPY (SELECT unnest([7, 8]) AS id) TO '${at('data', 'logs', '3.parquet')}' (FORMAT parquet)`,
      );
      await expect(convert(schema, { onProgress: stop })).rejects.toThrow('stopped');
      await run(
        `ATTACH '${at('out', '.logs', 'store.duckdb')}' AS store; UPDATE store."import".files SET rows = ${sql}; DETACH store`,
      );
      writeFileSync(at('out', '.logs', 'written'), '');
    };
    const sources = () => readdirSync(at('data', 'logs')).sort();

    test('removes those of each format', async () => {
      await wrongRecord('rows');
      expect(await convert(schema, { removesSources: true })).toMatchObject({ kept: [] });
      expect(sources()).toEqual([]);
      expect(await rowsOf(schema, 'out')).toEqual([1, 2, 3, 4, 5, 6, 7, 8].map((id) => [String(id)]));
    });

    test('keeps those in a folder whose key is not declared', async () => {
      for (const [folder, id] of [['region=eu', 1] as const, ['id=2', 2] as const]) {
        mkdirSync(at('data', 'logs', folder));
        write(`${folder}/0.ndjson`, [id === 1 ? { id } : {}]);
      }
      const { kept, rows } = await convert(schema, { removesSources: true });
      expect(rows).toBe(2);
      expect(kept.map(({ message }) => message)).toEqual([
        'is kept, because region is not declared in logs, and its values are in no new file',
      ]);
    });

    const record = table(field('id', 'INTEGER'), field('r', 'RECORD', { fields: [field('a', 'INTEGER')] }));
    const map = field('m', 'RECORD', {
      mode: 'REPEATED',
      fields: [field('key', 'STRING'), field('value', 'RECORD', { fields: [field('a', 'INTEGER')] })],
    });

    test.each([
      ['r.b', record, '0.csv', `id,r\n1,"{""a"":1,""b"":2}"\n`],
      ['m.value.b', table(map), '0.parquet', `MAP {'x': {a: 1, b: 2}} AS m`],
    ])('keeps one with a value that is not declared, %s', async (path, schema, name, content) => {
      if (name.endsWith('.csv')) writeFileSync(at('data', 'logs', name), content);
      else await run(`COPY (SELECT ${content}) TO '${at('data', 'logs', name)}' (FORMAT parquet)`);
      const { kept, rows } = await convert(schema, { removesSources: true });
      expect(rows).toBe(1);
      expect(kept.map(({ message }) => message)).toEqual([
        `is kept, because ${path} is not declared in logs, and its values are in no new file`,
      ]);
      expect(sources()).toEqual([name]);
    });

    test('removes those with records of which all values are declared', async () => {
      writeFileSync(at('data', 'logs', '0.csv'), `id,r\n1,"{""a"":1,""b"":null}"\n2,\n`);
      expect(await convert(record, { removesSources: true })).toMatchObject({ rows: 2, kept: [] });
      expect(sources()).toEqual([]);
    });

    test('keeps those with their own values of a column that their folder gives', async () => {
      mkdirSync(at('data', 'logs', 'ID=7'));
      const files = ['0.csv', '1.ndjson', '2.parquet'].map((name) => `ID=7/${name}`);
      writeFileSync(at('data', 'logs', 'ID=7/0.csv'), 'id\n1\n');
      write('ID=7/1.ndjson', [{ id: 2 }]);
      await run(`COPY (SELECT 3 AS Id) TO '${at('data', 'logs', 'ID=7/2.parquet')}' (FORMAT parquet)`);
      write('ID=7/3.ndjson', [{}]);
      const { kept, rows } = await convert(schema, { removesSources: true });
      expect(rows).toBe(4);
      expect(kept.map(({ file, message }) => [file, message])).toEqual(
        files.map((name, index) => [
          at('data', 'logs', name),
          `is kept, because its folder gives ${index === 2 ? 'Id' : 'id'}, and the values that it has itself are in no new file`,
        ]),
      );
      expect(readdirSync(at('data', 'logs', 'ID=7'))).toHaveLength(3);
    });

    test('removes those whose own values are those of their folder', async () => {
      const days = table(field('id', 'INTEGER'), field('day', 'DATE'));
      const folder = 'ID=7/day=2024-01-02';
      mkdirSync(at('data', 'logs', folder), { recursive: true });
      writeFileSync(at('data', 'logs', folder, '0.csv'), 'day,id\n2024-01-02,7\n,7\n');
      write(`${folder}/1.ndjson`, [
        { id: 7, day: '2024-01-02' },
        { id: '7', day: null },
      ]);
      const parquet = (name: string, select: string) =>
        run(`COPY (${select}) TO '${at('data', 'logs', folder, name)}' (FORMAT parquet)`);
      await parquet('2.parquet', "SELECT unnest([7, NULL]) AS Id, DATE '2024-01-02' AS day");
      write(`${folder}/3.ndjson`, [{ id: 7 }, { day: '2024-01-03' }]);
      await parquet('4.parquet', 'SELECT unnest([7, 8]) AS id');
      const { kept, rows } = await convert(days, { removesSources: true });
      expect(rows).toBe(10);
      expect(kept.map(({ message }) => /gives (\w+)/.exec(message)?.[1])).toEqual(['day', 'id']);
      expect(readdirSync(at('data', 'logs', folder))).toEqual(['3.ndjson', '4.parquet']);
    });

    test('removes none while one is written, and imports its new rows next time', async () => {
      write('0.ndjson', [{ id: 1 }]);
      write('1.ndjson', [{ id: 2 }]);
      const options = { removesSources: true };
      const append = (line: string) => {
        if (line.startsWith('writing')) appendFileSync(at('data', 'logs', '1.ndjson'), '{"id":3}\n');
      };
      await expect(convert(schema, { ...options, onProgress: append })).rejects.toMatchObject({
        problems: [
          {
            message:
              'logs/1.ndjson is new or has changed since it was read, so that no source is removed; the same command goes on once nothing writes to it',
          },
        ],
      });
      expect(sources()).toEqual(['0.ndjson', '1.ndjson']);
      expect(await convert(schema, options)).toMatchObject({ rows: 3, kept: [] });
      expect(sources()).toEqual([]);
      expect(await rowsOf(schema, 'out')).toEqual([['1'], ['2'], ['3']]);
    });

    test('removes none while one that is kept is written', async () => {
      write('0.ndjson', [{ id: 1, other: 1 }]);
      write('1.ndjson', [{ id: 2 }]);
      const { signal } = new AbortController();
      // Between the scan of the sources and the first removal.
      signal.throwIfAborted = () => {
        if (existsSync(at('out', 'logs', 'all.parquet')))
          appendFileSync(at('data', 'logs', '0.ndjson'), '{"id":3}\n');
      };
      await expect(convert(schema, { removesSources: true, signal })).rejects.toMatchObject({
        problems: [{ message: expect.stringContaining('logs/0.ndjson is new or has changed') }],
      });
      expect(sources()).toEqual(['0.ndjson', '1.ndjson']);
    });

    test('after some are removed, says how many rows of a changed one are in the new files', async () => {
      await wrongRecord('rows');
      rmSync(at('data', 'logs', '0.ndjson'));
      appendFileSync(at('data', 'logs', '1.csv'), '5\n');
      await expect(convert(schema, { removesSources: true })).rejects.toMatchObject({
        problems: [{ message: expect.stringContaining('is left; 2 rows of it are in the new files') }],
      });
      expect(sources()).toEqual(['1.csv']);
    });

    test('removes all names of one', async () => {
      write('0.ndjson', [{ id: 1 }]);
      symlinkSync('0.ndjson', at('data', 'logs', 'latest.ndjson'));
      linkSync(at('data', 'logs', '0.ndjson'), at('data', 'logs', 'hard.ndjson'));
      symlinkSync('logs', at('data', 'logs.d'));
      expect(await convert(schema, { removesSources: true })).toMatchObject({ rows: 1, kept: [] });
      expect(sources()).toEqual([]);
    });

    test('removes none if the new files have another number of rows', async () => {
      await wrongRecord(`rows + (name = 'logs/1.csv')::INTEGER`);
      await expect(convert(schema, { removesSources: true })).rejects.toMatchObject({
        problems: [{ message: expect.stringContaining('8 rows, of 9 in the sources, which are left') }],
      });
      expect(sources()).toHaveLength(4);
    });

    test('keeps each that has another number of rows than were read of it', async () => {
      await wrongRecord(`CASE name[6] WHEN '0' THEN 1 WHEN '1' THEN 3 WHEN '2' THEN 1 ELSE 3 END`);
      const { kept } = await convert(schema, { removesSources: true });
      expect(kept.map(({ message }) => message)).toEqual(
        [1, 3, 1, 3].map((rows) => `is kept, because it has 2 rows, and ${rows} are in new files`),
      );
      expect(sources()).toHaveLength(4);
    });
  });
});
