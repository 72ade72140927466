import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, expect, test } from 'vitest';
import { atNight } from '../../../test/support/nightly.ts';
import { openCommand, runProcess } from './support/command.ts';

const folder = mkdtempSync(join(tmpdir(), 'bigquery-sql-'));
afterAll(() => rmSync(folder, { recursive: true }));

const write = (name: string, text: string | Buffer) => {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
};

const csv = write(
  'events.csv',
  'id,name,moment,amount\n1,ann,2026-01-31 10:30:00,1.5\n2,"b, ""c""",,\n3,"",2026-02-01T00:00:00+01:00,2\n',
);
const runCommand = openCommand();
const rowsOf = async (...args: string[]) => JSON.parse((await runCommand(['--json', ...args])).stdout).rows;

test('a data file is a table of its name, with types that BigQuery gives it', async () => {
  const { stdout, stderr } = await runCommand([
    '--json',
    'select * from events where id < 3 order by id',
    csv,
  ]);
  expect(stderr).toBe('');
  expect(JSON.parse(stdout)).toMatchObject({
    columns: [
      { name: 'id', type: 'INT64' },
      { name: 'name', type: 'STRING' },
      { name: 'moment', type: 'TIMESTAMP' },
      { name: 'amount', type: 'FLOAT64' },
    ],
    rows: [
      ['1', 'ann', '2026-01-31T10:30:00.000000Z', 1.5],
      ['2', 'b, "c"', null, null],
    ],
  });
  expect(await rowsOf('select count(*) from `my-project.shop.events`', csv)).toEqual([['3']]);
});

test('it is CSV with any separator, lines of JSON, or Parquet with other types of DuckDB', async () => {
  const semicolons = write('people.csv', 'name;city\nann;berlin\n');
  const lines = write('clicks.ndjson', '{"user":{"id":1,"seen":"2026-01-31T10:00:00"},"tags":["a"]}\n');
  const parquet = join(folder, 'odd.parquet');
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  await connection.run(
    `COPY (SELECT 7::UTINYINT AS small, 18446744073709551615::UBIGINT AS large, uuid() AS id, MAP {'a': 1} AS m,
     {'n': 1::UINTEGER, 't': TIMESTAMP_NS '2026-01-31 10:00:00'} AS s, TIMESTAMP '2026-01-31 10:00:00' AS local) TO '${parquet}'`,
  );
  connection.closeSync();
  expect(await rowsOf('select city from people', semicolons)).toEqual([['berlin']]);
  expect(await rowsOf('select user.id, user.seen, tags from clicks', lines)).toEqual([
    ['1', '2026-01-31T10:00:00.000000Z', ['a']],
  ]);
  const sql =
    'select small + 1, large, length(id), json_value(m, "$.a"), s.n + 1, timestamp_add(s.t, interval 1 hour), local from odd';
  expect(await rowsOf(sql, parquet)).toEqual([
    [
      ...['8', '18446744073709551615', '36', '1', '2'],
      ...['2026-01-31T11:00:00.000000Z', '2026-01-31T10:00:00.000000'],
    ],
  ]);
});

test('it may have another name, be a pattern, and precede the statement', async () => {
  const [first, second] = ['part-1.csv', 'part-2.csv'].map((name, at) => write(name, `n\n${at}\n`));
  expect(await rowsOf(`parts=${join(folder, 'part-*.csv')}`, 'select sum(n) from parts')).toEqual([['1']]);
  expect(await rowsOf('select a.n, b.n from a, b', `a=${first}`, `b=${second}`)).toEqual([['0', '1']]);
  expect(await rowsOf('-f', write('count.sql', 'select count(*) from events'), csv)).toEqual([['3']]);
  const { stdout } = runProcess(['--json', csv], 'select count(*) from events');
  expect(JSON.parse(stdout).rows).toEqual([['3']]);
});

test('one that is missing, unreadable or of the name of another is refused, with the nearest name', async () => {
  const other = write('broken.parquet', 'no rows');
  for (const [args, message] of [
    [[join(folder, 'evnts.csv')], `evnts.csv does not exist; did you mean ${csv}?\n`],
    [[other], 'broken.parquet cannot be read: '],
    [[csv, `events=${other}`], `are both the table events: write name=${other}\n`],
  ] as const) {
    const { status, stdout, stderr } = await runCommand(['select 1', ...args]);
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toContain(message);
    expect(stderr).not.toContain('    at ');
  }
});

test.each(['csv', 'csv.gz', 'ndjson', 'parquet'])(
  'a folder named as a file of %s is refused with the pattern of its files',
  async (ending) => {
    const named = join(folder, `named.${ending}`);
    mkdirSync(named);
    const { status, stderr } = await runCommand(['select 1', named]);
    const pattern = `${named}/*.${ending}`;
    expect([status, stderr]).toEqual([
      2,
      expect.stringContaining(`${named} is a folder: write name='${pattern}' for its files as one table`),
    ]);
  },
);

test('--csv prints rows as CSV: NULL is empty, and an empty text is not', async () => {
  const { stdout } = await runCommand([
    '--csv',
    'select id, name, moment, [id] as ids from events order by id',
    csv,
  ]);
  expect(stdout.split('\r\n')).toEqual([
    'id,name,moment,ids',
    '1,ann,2026-01-31T10:30:00Z,"[""1""]"',
    '2,"b, ""c""",,"[""2""]"',
    '3,"",2026-01-31T23:00:00Z,"[""3""]"',
    '',
  ]);
});

test('SQL of other dialects is refused with what BigQuery writes', async () => {
  const refused = [
    ['select * exclude (id) from events', 'write * EXCEPT (columns)'],
    ["select * from 'events.csv'", 'a name is written in backquotes'],
    ['select id::string from events', 'write CAST(value AS TYPE)'],
    ['select nmae from events', 'no column is named nmae; did you mean name?'],
    ['select 1 from event', 'no table is named event; did you mean events?'],
  ] as const;
  const { status, stderr } = await runCommand([...refused.map(([sql]) => sql), csv]);
  expect(status).toBe(1);
  for (const [, message] of refused) expect(stderr).toContain(message);
});

test('text files have dates of ISO 8601 only, and integers beyond INT64 are NUMERIC', async () => {
  const spellings = write(
    'spellings.csv',
    'us,day,mixed,big,comma\n01/02/2026,2026-01-02,2026-11-01T10:00Z,12345678901234567890,"1,50"\n25/02/2026,2026-01-02,2026-11-02,5,"2,50"\n',
  );
  const { columns, rows } = JSON.parse(
    (await runCommand(['--json', 'select * from spellings', spellings])).stdout,
  );
  expect(columns.map(({ type }: { type: string }) => type)).toEqual([
    ...['STRING', 'DATE', 'TIMESTAMP', 'NUMERIC', 'STRING'],
  ]);
  expect(rows[0]).toEqual([
    ...['01/02/2026', '2026-01-02', '2026-11-01T10:00:00.000000Z', '12345678901234567890', '1,50'],
  ]);
  const lines = write('days.ndjson', '{"us":"01/02/2026","seen":"2026-01-02T10:00:00Z"}\n');
  expect(await rowsOf('select us, seen from days', lines)).toEqual([
    ['01/02/2026', '2026-01-02T10:00:00.000000Z'],
  ]);
});

test('the first line is the header, whose separator is that of the rows', async () => {
  expect(await rowsOf('select a, b from semi', write('semi.csv', 'a;b\n1;2,5\n2;3,5\n'))).toEqual([
    ['1', '2,5'],
    ['2', '3,5'],
  ]);
});

test.each([
  [
    'latin.csv',
    Buffer.from('a,b\n1,Gr\xf6\xdfe\n', 'latin1'),
    'must be UTF-8; line 2 is not: iconv -f latin1 -t utf-8',
  ],
  [
    'wide.csv',
    Buffer.from('\uFEFFa,b\n1,2\n', 'utf16le'),
    'must be UTF-8; it is UTF-16: iconv -f utf-16 -t utf-8',
  ],
  ['ends.csv', 'a,b\n1,2\r\n3,4\r\n', 'line 1 ends in LF, line 2 in CRLF'],
  ['ragged.csv', 'a,b\n1,2\n3\n', 'each line must have as many values as the header'],
  ['orders.xlsx', 'PK', '.xlsx is not read; save it as CSV'],
  ['report.bqsql', 'select 1', 'has SQL: write -f '],
])('%s is refused with its cause', async (name, text, message) => {
  const { status, stderr } = await runCommand(['select 1', write(name, text)]);
  expect(stderr).toContain(message);
  expect(stderr).not.toContain('sniffing');
  expect(status).toBe(2);
});

test('a column of integers and NULL with a fraction after the first rows is FLOAT64', async () => {
  const integers = ',x\n7,x\n'.repeat(10_050);
  const late = write('late.csv', `n,s\n${integers}1.5e-12,x\n`);
  const { columns, rows } = JSON.parse(
    (await runCommand(['--json', 'select min(n) as n from late', late])).stdout,
  );
  expect(columns).toEqual([{ name: 'n', type: 'FLOAT64' }]);
  expect(rows).toEqual([[1.5e-12]]);
});

test.each(['csv.gz', 'ndjson.zst', ...atNight('csv.zst', 'ndjson.gz')])(
  'a compressed file that is cut is refused with its name, wherever it is cut: %s',
  async (ending) => {
    const line = (n: number) =>
      ending.startsWith('csv') ? `${n},${n * 7919}\n` : `{"a":${n},"b":${n * 7919}}\n`;
    for (const count of [10, 200_000]) {
      const text = `${ending.startsWith('csv') ? 'a,b\n' : ''}${Array.from({ length: count }, (_, at) => line(at)).join('')}`;
      const whole = ending.endsWith('gz') ? gzipSync(text) : zstdCompressSync(text);
      write(`whole-1.${ending}`, whole);
      const pattern = `parts=${join(folder, `whole-*.${ending}`)}`;
      expect(await rowsOf('select count(*) from parts', pattern)).toEqual([[String(count)]]);
      const cut = write(`whole-2.${ending}`, whole.subarray(0, -9));
      for (const given of [pattern, `parts=${cut}`]) {
        const { status, stdout, stderr } = await runCommand(['select count(*) from parts', given]);
        expect(stderr).toMatch(`${cut}: cannot be decompressed: `);
        expect([status, stdout]).toEqual([2, '']);
      }
      rmSync(cut);
    }
  },
);

test('files of a pattern have one separator; those with one column have any', async () => {
  const pattern = `marks=${join(folder, 'mark-*.csv')}`;
  write('mark-1.csv', 'a\n1\n');
  write('mark-2.csv', 'a;b\n2;2,5\n');
  write('mark-3.csv', 'b;a\n"3,5";3\n');
  expect(await rowsOf('select a, b from marks order by a', pattern)).toEqual([
    ['1', null],
    ['2', '2,5'],
    ['3', '3,5'],
  ]);
  write('mark-4.csv', 'a,b\n4,x\n');
  expect(await runCommand(['select * from marks', pattern])).toMatchObject({
    status: 2,
    stdout: '',
    stderr: `${join(folder, 'mark-*.csv')}: its files have different separators: save them with one\n`,
  });
});

test('integers that DuckDB reads as wide ones are INT64 unless one is beyond it', async () => {
  const [max, min] = ['9223372036854775807', '-9223372036854775808'];
  const lineOf = (small: string, large: string) =>
    `{"n":${small},"r":{"n":${small}},"l":[${small}],"s":[{"n":${small}}],"big":${large}}\n`;
  write('sign-1.ndjson', lineOf(max, '1') + lineOf(min, '-1'));
  write('sign-2.ndjson', lineOf('-3', '18446744073709551615') + lineOf('4', '-1'));
  const { columns, rows } = JSON.parse(
    (
      await runCommand([
        '--json',
        'select n, r.n as rn, l, s[0].n as sn, big from signs order by n',
        `signs=${join(folder, 'sign-*.ndjson')}`,
      ])
    ).stdout,
  );
  expect(columns.map(({ type }: { type: string }) => type)).toEqual([
    ...['INT64', 'INT64', 'ARRAY<INT64>', 'INT64', 'NUMERIC'],
  ]);
  expect(rows).toEqual([
    [min, min, [min], min, '-1'],
    ['-3', '-3', ['-3'], '-3', '18446744073709551615'],
    ['4', '4', ['4'], '4', '-1'],
    [max, max, [max], max, '1'],
  ]);
  const parquet = join(folder, 'unsigned.parquet');
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  await connection.run(
    `COPY (SELECT i::UBIGINT AS small, [i::UBIGINT] AS l, (i::HUGEINT + 9223372036854775807)::UBIGINT AS large FROM range(30000) AS r(i)) TO '${parquet}'`,
  );
  connection.closeSync();
  const unsigned = await runCommand([
    '--json',
    'select small, l, large from unsigned where small < 2',
    parquet,
  ]);
  expect(JSON.parse(unsigned.stdout)).toMatchObject({
    columns: [{ type: 'INT64' }, { type: 'ARRAY<INT64>' }, { type: 'NUMERIC' }],
    rows: [
      ['0', ['0'], max],
      ['1', ['1'], '9223372036854775808'],
    ],
  });
});

test.each(['ä', '€', '😀'])(
  'a first line of more than 1 MiB may have any characters: %s',
  async (character) => {
    // Wherever the character is at the end of a part that is read.
    const files = ['', 'x', 'xx', 'xxx'].map((shift, at) =>
      write(`long${at}.ndjson`, `{"a":"${shift}${character.repeat(600_000)}"}\n{"a":"x"}\n`),
    );
    const lengths = files.map((_, at) => `select max(length(a)) from long${at}`).join(' union all ');
    const expected = files.map((_, at) => [String(600_000 + at)]);
    expect(await rowsOf(`${lengths} order by 1`, ...files)).toEqual(expected);
  },
);

test('an argument that is a file of SQL, or of a list of statements, is run', async () => {
  expect(await rowsOf(write('report.sql', 'select count(*) from events'), csv)).toEqual([['3']]);
  expect(await rowsOf(write('report.json', '["select count(*) from events"]'), csv)).toEqual([['3']]);
});

test.each([
  ['types.csv', 'x,y,2026-01-01\n', 'n: "x" is not INT64'],
  ['dates.csv.gz', '1,y,someday\n', 'd: "someday" is not DATE'],
  ['short.csv', '1,y\n', 'has 2 values, and the header 3'],
  ['long.csv', '1,y,2026-01-01,5', 'has 4 values, and the header 3'],
  [
    'bytes.csv',
    '1,\xff,2026-01-01\n',
    'Invalid unicode (byte sequence mismatch) detected. This file is not utf-8 encoded',
  ],
])(
  'a row of CSV that cannot be read has its line, where texts have several lines: %s',
  async (name, row, reason) => {
    const before = '1,"a\r\nb, ""c""\n\n",2026-01-01\n'.repeat(50_000);
    const text = Buffer.from(`n,s,d\n${before}${row}2,z,2026-01-01\n`, 'latin1');
    const file = write(name, name.endsWith('gz') ? gzipSync(text) : text);
    const { status, stdout, stderr } = await runCommand([
      'select max(n), max(s), max(d) from t',
      `t=${file}`,
    ]);
    expect(stderr).toBe(`1:1 run time: ${file}: line 200002: ${reason}\n`);
    expect([status, stdout]).toEqual([1, '']);
  },
);

test.each([
  ['late.ndjson', '{"n":"x"}', 'Failed to cast value to numerical: "x"'],
  ['cut.ndjson', '{"n":', 'is not JSON: unexpected end of data'],
])(
  'a row of JSON that cannot be read has its line, also after empty lines: %s',
  async (name, row, reason) => {
    const file = write(name, `${'{"n":1}\n\n'.repeat(30_000)}${row}\n{"n":2}\n`);
    const { stdout } = await runCommand(['--json', 'select max(n) from t', `t=${file}`]);
    expect(JSON.parse(stdout).error).toEqual({
      ...{ stage: 'run time', line: 1, column: 1 },
      message: `${file}: line 60001: ${reason}`,
    });
  },
);

test('an old version of Node is refused with the version that is needed', () => {
  const old = "data:text/javascript,Object.defineProperty(process.versions,'node',{value:'20.1.0'})";
  const bin = join(import.meta.dirname, '../src/bigquery-sql.ts');
  const { status, stderr } = spawnSync(process.execPath, ['--import', old, bin, 'select 1'], {
    encoding: 'utf8',
  });
  expect(stderr).toBe('bigquery-sql needs Node 24 or newer; this is 20.1.0\n');
  expect(status).toBe(2);
});

test('Parquet with decimals of more digits than DuckDB reads is refused', async () => {
  const file = join(import.meta.dirname, '../../duckdb-import/test/parquet/wide-decimals.parquet');
  const { stderr } = await runCommand(['select d from wide', `wide=${file}`]);
  expect(stderr).toContain(
    'd: the file has DECIMAL(76, 38), and only decimals of at most 38 digits can be read; write it as DECIMAL(38, …) or as text',
  );
});

test('a result of many rows is printed', async () => {
  const { status, stdout } = await runCommand(['select n from unnest(generate_array(1, 130000)) as n']);
  expect([status, stdout.split('\n').at(-3)]).toEqual([0, '130000']);
});
