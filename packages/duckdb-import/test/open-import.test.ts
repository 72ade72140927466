import { appendFileSync, renameSync, rmSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { repeatedRecordError } from '@querygate/bigquery-sql/duckdb';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { nightly } from '../../../test/support/nightly.ts';
import type { ImportTables } from '../src/store/import-tables.ts';
import { type ImportFolder, idsBetween, lines, openImportFolder } from './import-folder.ts';

let folder: ImportFolder;
beforeEach(async () => {
  folder = await openImportFolder({ batchLimits: { rows: 100, bytes: 1 << 20 } });
});
afterEach(() => folder.close());

const append = (name: string, content: string) => appendFileSync(folder.path(name), content);

/** Syncs without a problem; the store has these ids then. */
const expectIds = async (...ids: readonly number[]) => {
  expect(await folder.sync()).toEqual([]);
  expect(await folder.ids()).toEqual(ids);
};

/** The tables of the store, whose rows are replaced in another way. */
const replacedBy = (replaceRows: ImportTables['replaceRows']): ImportTables => {
  const { tables } = folder.store;
  return {
    ...{ all: tables.all, files: tables.files, replaceRows },
    get: (name) => tables.get(name),
    openFiles: (name) => tables.openFiles(name),
  };
};

describe('a file that grows', () => {
  test('has every line imported once, also over restarts', async () => {
    folder.write('logs.ndjson', '');
    await expectIds();
    for (const id of [1, 2, 3, 4]) {
      append('logs.ndjson', lines(id));
      await expectIds(...idsBetween(1, id + 1));
      if (id % 2 === 0) await folder.reopen();
      await expectIds(...idsBetween(1, id + 1));
    }
  });

  test('has an incomplete line imported when it is complete, and reported once while it is not', async () => {
    folder.write('logs.ndjson', `${lines(1)}{"id":2,`);
    await expectIds(1);
    expect(await folder.sync()).toEqual([
      'logs.ndjson:2: not JSON: the last line is not finished; it is imported once it is complete',
    ]);
    await expectIds(1);
    await folder.reopen();
    await expectIds(1);
    expect(await folder.query('SELECT * FROM import.rejects')).toEqual([
      ['logs', 'logs.ndjson', 2n, 'not JSON: the last line is not finished'],
    ]);
    append('logs.ndjson', '"ts":null}');
    await expectIds(1, 2);
    expect(await folder.query('SELECT * FROM import.rejects')).toEqual([]);
    append('logs.ndjson', `\n\n{"id":3`);
    await expectIds(1, 2);
    append('logs.ndjson', `}\nnone\n`);
    expect(await folder.sync()).toEqual([expect.stringMatching(/^logs\.ndjson:5: not JSON/)]);
    expect(await folder.ids()).toEqual([1, 2, 3]);
  });

  test('of several batches is imported to the last line, with a byte order mark and CRLF', async () => {
    folder.write('logs.ndjson', `\uFEFF${lines(...idsBetween(0, 250)).replaceAll('\n', '\r\n')}`);
    await expectIds(...idsBetween(0, 250));
    append('logs.ndjson', lines(...idsBetween(250, 550)));
    await expectIds(...idsBetween(0, 550));
    expect(await folder.query(`SELECT "rows", "lines", done FROM import.files`)).toEqual([
      [550n, 550n, true],
    ]);
  });

  test('may be renamed, while a new file grows under the old name', async () => {
    folder.write('logs/a.ndjson', lines(1));
    await expectIds(1);
    renameSync(folder.path('logs/a.ndjson'), folder.path('logs/b.ndjson'));
    folder.write('logs/a.ndjson', lines(3));
    append('logs/b.ndjson', lines(2));
    await expectIds(1, 2, 3);
    await expectIds(1, 2, 3);
    expect(await folder.query('SELECT name, "rows" FROM import.files ORDER BY 1')).toEqual([
      ['logs/a.ndjson', 1n],
      ['logs/b.ndjson', 2n],
    ]);
  });
});

describe('a file with other content is imported again', () => {
  beforeEach(async () => {
    folder.write('logs.ndjson', lines(...idsBetween(0, 300)));
    await expectIds(...idsBetween(0, 300));
  });

  test('truncated, and written again', async () => {
    truncateSync(folder.path('logs.ndjson'));
    await expectIds();
    append('logs.ndjson', lines(7));
    await expectIds(7);
  });

  test('copied and truncated, while more was written (copytruncate)', async () => {
    folder.write('logs.ndjson', lines(...idsBetween(1000, 1300), ...idsBetween(5000, 5100)));
    await expectIds(...idsBetween(1000, 1300), ...idsBetween(5000, 5100));
  });

  test('replaced by another with its name', async () => {
    folder.write('new', lines(8));
    renameSync(folder.path('new'), folder.path('logs.ndjson'));
    await expectIds(8);
  });

  test('edited in place, with the same length', async () => {
    writeFileSync(folder.path('logs.ndjson'), lines(...idsBetween(0, 299), 555));
    utimesSync(folder.path('logs.ndjson'), 1, 1);
    await expectIds(...idsBetween(0, 299), 555);
  });

  test.each([false, true])('edited in its middle, and longer, after a restart: %s', async (isRestarted) => {
    const before = idsBetween(1000, 3000);
    folder.write('logs.ndjson', lines(...before));
    await expectIds(...before);
    append('logs.ndjson', lines(3000));
    await expectIds(...before, 3000);
    if (isRestarted) await folder.reopen();
    folder.write('logs.ndjson', lines(...before, 3000, 3001).replace('{"id":2000}', '{"id":9999}'));
    await expectIds(...before.filter((id) => id !== 2000), 3000, 3001, 9999);
  });

  test('removed for longer than one sync, and put back', async () => {
    renameSync(folder.path('logs.ndjson'), folder.path('away'));
    await expectIds(...idsBetween(0, 300));
    await expectIds();
    expect(await folder.query('SELECT count(*) FROM import.files')).toEqual([[0n]]);
    renameSync(folder.path('away'), folder.path('logs.ndjson'));
    await expectIds(...idsBetween(0, 300));
    rmSync(folder.path('logs.ndjson'));
    await folder.sync();
    await expectIds();
  });
});

test('what is gone or compressed when a process begins is gone, or there once, with its first sync', async () => {
  folder.write('logs/a.ndjson', lines(1, 2));
  folder.write('logs/b.ndjson', lines(3));
  await folder.sync();
  folder.write('logs/a.ndjson.gz', gzipSync(lines(1, 2)));
  rmSync(folder.path('logs/a.ndjson'));
  rmSync(folder.path('logs/b.ndjson'));
  await folder.reopen();
  await expectIds(1, 2);
});

describe('queries have a problem while a table lacks rows', () => {
  /** Of each change of rows, the number of rows after it, and whether the table had a problem then. */
  let seen: [rows: number, isProblem: boolean][];
  beforeEach(async () => {
    seen = [];
    folder.write('logs.csv', `id\n${idsBetween(0, 250).join('\n')}\n`);
    await expectIds(...idsBetween(0, 250));
    const { tables } = folder.store;
    await folder.reopen({
      batchLimits: { rows: 100, bytes: 1 << 20 },
      tables: replacedBy(async (connection, change) => {
        await tables.replaceRows(connection, change);
        seen.push([(await folder.ids()).length, folder.data().problems.has('logs')]);
      }),
    });
    await expectIds(...idsBetween(0, 250));
  });

  test('of a file that is replaced by several batches', async () => {
    folder.write('logs.csv', `id\n${idsBetween(1000, 1280).join('\n')}\n`);
    await expectIds(...idsBetween(1000, 1280));
    expect(seen).toEqual([
      [100, true],
      [200, true],
      [280, true],
    ]);
    expect([...folder.data().problems]).toEqual([]);
  });

  test('of a file that has become unreadable', async () => {
    folder.write('logs.csv', 'none\n1\n');
    expect(await folder.sync()).toHaveLength(1);
    expect(seen).toEqual([[0, true]]);
  });

  test('but not of a file that is replaced at once, or grows', async () => {
    folder.write('logs.csv', 'id\n1\n');
    await expectIds(1);
    folder.write('logs.ndjson', lines(...idsBetween(2, 180)));
    await expectIds(...idsBetween(1, 180));
    expect(seen).toEqual([
      [1, false],
      [101, false],
      [179, false],
    ]);
  });
});

describe('files that go, and those that have come in their place, are one change', () => {
  /** Of each change of rows, the ids after it, or `problem` if the table had one then. */
  let seen: (readonly number[] | 'problem')[];
  beforeEach(async () => {
    seen = [];
    const { tables } = folder.store;
    await folder.reopen({
      batchLimits: { rows: 100, bytes: 1 << 20 },
      tables: replacedBy(async (connection, change) => {
        await tables.replaceRows(connection, change);
        seen.push(folder.data().problems.has('logs') ? 'problem' : await folder.ids());
      }),
    });
  });
  /** Syncs once. @returns what queries have seen */
  const change = async (before: () => unknown, after: () => unknown) => {
    await before();
    await folder.sync();
    seen = [];
    await after();
    expect(await folder.sync()).toEqual([]);
    expect(folder.data().problems.size).toBe(0);
    const last = await folder.ids();
    await expectIds(...last);
    return { seen, last };
  };
  const remove = (...names: readonly string[]) => {
    for (const name of names) rmSync(folder.path(`logs/${name}`));
  };
  const csv = (name: string, ...ids: readonly number[]) =>
    folder.write(`logs/${name}`, `id\n${ids.join('\n')}\n`);
  const parquet = (name: string, ids: readonly number[], type = 'BIGINT') =>
    folder.writeParquet(`logs/${name}`, `SELECT unnest([${ids}])::${type} AS id`);

  test('of text, in another name, form or number', async () => {
    const compressed = await change(
      () => folder.write('logs/a.ndjson', lines(1, 2)),
      () => {
        folder.write('logs/a.ndjson.gz', gzipSync(lines(1, 2)));
        remove('a.ndjson');
      },
    );
    expect(compressed).toEqual({ seen: [[1, 2]], last: [1, 2] });
    const parts = await change(
      () => csv('users-01.csv', 3, 4),
      () => {
        csv('users-02.csv', 3);
        csv('users-03.csv', 4, 5);
        remove('users-01.csv', 'a.ndjson.gz');
      },
    );
    expect(parts).toEqual({ seen: [[3, 4, 5]], last: [3, 4, 5] });
  });

  test('of text in several batches, meanwhile with a problem', async () => {
    const ids = idsBetween(1000, 1150);
    const long = await change(
      () => csv('a.csv', 1, 2),
      () => {
        csv('b.csv', ...ids);
        remove('a.csv');
      },
    );
    expect(long).toEqual({ seen: ['problem', 'problem'], last: ids });
    const several = await change(
      () => {},
      () => {
        csv('c.csv', ...idsBetween(0, 100));
        csv('d.csv', 100);
        remove('b.csv');
      },
    );
    expect(several).toEqual({ seen: ['problem', 'problem'], last: idsBetween(0, 101) });
  });

  test('of Parquet that is compacted', async () => {
    const compacted = await change(
      async () => {
        await parquet('a.parquet', [1, 2]);
        await parquet('b.parquet', [3]);
      },
      async () => {
        await parquet('ab.parquet', [1, 2, 3]);
        remove('a.parquet', 'b.parquet');
      },
    );
    expect(compacted).toEqual({ seen: [[1, 2, 3]], last: [1, 2, 3] });
    // Its integers are texts: it is imported.
    const doubtful = await change(
      () => {},
      async () => {
        await parquet('abc.parquet', [1, 2, 4], 'VARCHAR');
        remove('ab.parquet');
      },
    );
    expect(doubtful).toEqual({ seen: ['problem', 'problem'], last: [1, 2, 4] });
  });

  test('of text that has become Parquet', async () => {
    const converted = await change(
      () => csv('a.csv', 1, 2),
      async () => {
        await parquet('a.parquet', [1, 2]);
        remove('a.csv');
      },
    );
    expect(converted).toEqual({ seen: [[1, 2]], last: [1, 2] });
  });

  test('but a file that is only missing waits for another sync', async () => {
    folder.write('logs/a.ndjson', lines(1));
    folder.write('logs/b.ndjson', lines(2));
    await expectIds(1, 2);
    renameSync(folder.path('logs/a.ndjson'), folder.path('away'));
    append('logs/b.ndjson', lines(3));
    await expectIds(1, 2, 3);
    renameSync(folder.path('away'), folder.path('logs/a.ndjson'));
    await expectIds(1, 2, 3);
  });
});

describe('a file of another format is imported as a whole when it changes', () => {
  const parquet = (...ids: readonly number[]) =>
    folder.query(`COPY (SELECT unnest([${ids}]) AS id) TO '${folder.path('logs.parquet')}' (FORMAT parquet)`);
  test.each([
    ['logs.ndjson.gz', async (...ids: number[]) => gzipSync(lines(...ids))],
    ['logs.json.zst', async (...ids: number[]) => zstdCompressSync(`[${ids.map((id) => `{"id":${id}}`)}]`)],
    ['logs.json', async (...ids: number[]) => Buffer.from(ids.map((id) => `{\n"id":${id}}`).join(''))],
    ['logs.csv', async (...ids: number[]) => Buffer.from(`id\n${ids.join('\n')}\n`)],
    ['logs.parquet', async (...ids: number[]) => parquet(...ids).then(() => undefined)],
  ])('as %s', async (name, content) => {
    for (const ids of [idsBetween(0, 350), idsBetween(0, 20), idsBetween(0, 360)]) {
      const bytes = await content(...ids);
      if (bytes) folder.write(name, bytes);
      await expectIds(...ids);
      await expectIds(...ids);
    }
    renameSync(folder.path(name), folder.path(name.replace('logs', 'logs.old')));
    await expectIds(...idsBetween(0, 360));
    await expectIds(...idsBetween(0, 360));
  });
});

test('a corrupt file is a problem of its table until it is repaired, and none of its rows stay', async () => {
  const whole = gzipSync(Array.from(idsBetween(0, 5000), (id) => lines(id)).join(''), { level: 1 });
  folder.write('logs/b.ndjson', lines(-1));
  folder.write('logs/a.ndjson.gz', whole.subarray(0, -10));
  expect(await folder.sync()).toEqual(['logs/a.ndjson.gz: cannot be decompressed: unexpected end of file']);
  expect([...folder.data().problems.keys()]).toEqual(['logs']);
  await expectIds(-1);
  folder.write('logs/a.ndjson.gz', gzipSync(lines(1, 2)));
  await expectIds(-1, 1, 2);
  expect([...folder.data().problems.keys()]).toEqual([]);
});

test('a thousand small files', async () => {
  await folder.close();
  folder = await openImportFolder();
  for (let id = 0; id < 1000; id += 1) folder.write(`logs/${id}.ndjson`, lines(id));
  await expectIds(...idsBetween(0, 1000));
  rmSync(folder.path('logs/17.ndjson'));
  append('logs/18.ndjson', lines(5000));
  await folder.sync();
  await expectIds(...idsBetween(0, 17), ...idsBetween(18, 1000), 5000);
}, 120_000);

describe('a text file that is written otherwise has the cause and the cure in the log', () => {
  const day = '2026-01-31T00:00:00Z';
  const crlf = `id,ts\r\n1,${day}\r\n2,${day}\r\n`;
  const ends = (advice: string) =>
    `must have one kind of line ends; line 1 ends in CRLF, line 4 in LF: ${advice}`;

  test.each<[string, string | Buffer, string]>([
    ['logs.csv', `${crlf}3,${day}\n`, ends("sed -i 's/\\r$//' makes all LF")],
    ['logs.csv.gz', gzipSync(`${crlf}3,${day}\n`), ends('write LF into all')],
    [
      'logs.csv',
      `id,ts\n${`1,${day}\n`.repeat(100_000)}2,${day}\r\n`,
      "must have one kind of line ends; line 1 ends in LF, line 100002 in CRLF: sed -i 's/\\r$//' makes all LF",
    ],
    ['logs.csv', 'id,ts\r1,\r', "must have lines that end in LF or CRLF; they end in CR: tr '\\r' '\\n'"],
    ['logs.csv', 'id;ts\n1;\n', 'must have values separated by commas, found ;; save it with commas'],
    [
      'logs.csv',
      Buffer.from('id,ts,größe\n1,,2\n', 'latin1'),
      'must be UTF-8; line 1 is not: iconv -f latin1 -t utf-8',
    ],
    [
      'logs.csv',
      Buffer.from('\uFEFFid,ts\n1,\n', 'utf16le'),
      'must be UTF-8; it is UTF-16: iconv -f utf-16 -t utf-8',
    ],
    ['logs.csv', 'no,one\n1,\n', 'its header names no column of the table'],
  ])('%s', async (name, content, problem) => {
    folder.write(name, content);
    expect(await folder.sync()).toEqual([`${name}: ${problem}`]);
    expect(folder.data().problems.get('logs')).toBe(`${name}: ${problem}`);
  });

  test.each([
    ['logs.csv', 'id,ts\n1,\n2,\xe9\n', 'must be UTF-8: iconv -f latin1 -t utf-8'],
    ['logs.ndjson', '{"id":1}\n\n{"id":"\xe9"}\n', 'not JSON: must be UTF-8: iconv -f latin1 -t utf-8'],
  ])('of which a row is not UTF-8: %s', async (name, text, reason) => {
    folder.write(name, Buffer.from(text, 'latin1'));
    expect(await folder.sync()).toEqual([`${name}:3: ${reason}`]);
    expect(await folder.ids()).toEqual([1]);
  });
});

describe('rows that cannot be read', () => {
  const mixed = (count: number) =>
    Array.from({ length: count }, (_, index) => {
      if (index % 30 === 3) return '{"id":';
      if (index % 30 === 13) return '{"id":"abc"}';
      if (index % 30 === 23) return '{"id":1,"ts":"yesterday"}';
      return `{"id":${index}}`;
    }).join('\n');

  nightly(
    'a tenth of many are reported by line, and all others are imported',
    async () => {
      await folder.close();
      folder = await openImportFolder();
      folder.write('logs/z.ndjson', lines(-1));
      // More than one chunk of 16,384 lines, and more than 1,000 reasons in the first.
      folder.write('logs/a.ndjson', `${mixed(18_000)}\n`);
      expect(await folder.sync()).toEqual([
        expect.stringMatching(/^logs\/a\.ndjson: 1800 rows cannot be read, the first: line 4: not JSON: /),
      ]);
      expect(await folder.query('SELECT count(*), count(DISTINCT id) FROM logs')).toEqual([
        [16_201n, 16_201n],
      ]);
      const bad = await folder.query('SELECT file, line, reason FROM import.rejects ORDER BY line');
      expect(bad.map(([, line]) => Number(line))).toEqual(
        idsBetween(1, 18_001).filter((line) => [4, 14, 24].includes(line % 30)),
      );
      expect(bad.slice(1, 3)).toEqual([
        ['logs/a.ndjson', 14n, expect.stringMatching(/^id: "abc" is not an integer$/)],
        ['logs/a.ndjson', 24n, 'ts: "yesterday" is not a timestamp'],
      ]);
      expect(bad.at(-1)?.[2]).toBe('does not match the declared fields');
    },
    120_000,
  );

  test('a key that occurs twice, and text that only DuckDB reads as JSON', async () => {
    folder.write(
      'logs.ndjson',
      '{"id":1}\n{"id":2,"id":3}\n{"id":4,"ts":NaN}\n{"id":5,"x":NaN}\n{"id":"x"}\n',
    );
    await folder.sync();
    expect(await folder.ids()).toEqual([1, 5]);
    expect((await folder.query('SELECT line FROM import.rejects ORDER BY 1')).flat()).toEqual([2n, 3n, 5n]);
  });

  test('beside texts of ten megabytes', async () => {
    const long = (id: number) => `{"id":${id},"x":"${'y:'.repeat(5_000_000)}"}\n`;
    folder.write('logs.ndjson', `{"id":"x"}\n${long(1)}${long(2)}`);
    await folder.sync();
    expect(await folder.ids()).toEqual([1, 2]);
    expect((await folder.query('SELECT line FROM import.rejects')).flat()).toEqual([1n]);
  });

  test('of Parquet are reported by their number', async () => {
    await folder.query(
      `COPY (SELECT range AS id, CASE WHEN range % 10 = 3 THEN 'x' ELSE '2026-01-01' END AS ts FROM range(50))
       TO '${folder.path('logs.parquet')}'`,
    );
    expect(await folder.sync()).toEqual([
      'logs.parquet: 5 rows cannot be read, the first: row 4: ts: "x" is not a timestamp',
    ]);
    expect(await folder.query('SELECT count(*) FROM logs')).toEqual([[45n]]);
  });

  test('are only counted after a restart, as long as their files are there', async () => {
    folder.write('logs/a.ndjson', 'none\n{"id":"x"}\n');
    folder.write('logs/b.csv', 'id\nx\n');
    folder.write('logs/c.csv', 'id\n1\n');
    expect(await folder.sync()).toHaveLength(2);
    const later =
      'rows that could not be read were left out by an earlier import; import.rejects of the store has the reasons';
    append('logs/a.ndjson', 'none\n');
    await folder.reopen();
    expect(await folder.sync()).toEqual([
      expect.stringMatching(/^logs\/a\.ndjson:3: not JSON/),
      `logs/a.ndjson and 1 more: 3 ${later}`,
    ]);
    expect(await folder.sync()).toEqual([]);
    folder.write('logs/a.ndjson', '{"id":5}\n');
    await folder.reopen();
    expect(await folder.sync()).toEqual([`logs/b.csv: 1 ${later}`]);
  });

  test('are removed with their file', async () => {
    folder.write('logs.ndjson', 'none\n');
    await folder.sync();
    rmSync(folder.path('logs.ndjson'));
    await folder.sync();
    await folder.sync();
    expect(await folder.query('SELECT count(*) FROM import.reject_lines')).toEqual([[0n]]);
  });
});

describe('while the disk is full', () => {
  /** How many more batches have room. */
  let room: number;
  const paused = 'the import is paused: the disk of the store or of its temporary files is full';
  const reopen = () => {
    const { tables } = folder.store;
    return folder.reopen({
      batchLimits: { rows: 100, bytes: 1 << 20 },
      tables: replacedBy(async (connection, change) => {
        if (change.added) room -= 1;
        if (room < 0) throw new Error('IO Error: Could not write file: No space left on device');
        return tables.replaceRows(connection, change);
      }),
    });
  };
  const problems = () => Object.fromEntries(folder.data().problems);
  beforeEach(reopen);

  test('that is reported once, nothing is lost, and the next sync goes on', async () => {
    room = 0;
    folder.write('logs.ndjson', lines(1, 2));
    expect(await folder.sync()).toEqual([paused]);
    await expectIds();
    room = 1;
    await expectIds(1, 2);
  });

  test('a table has a problem until all files of its first import have their rows', async () => {
    room = 1;
    folder.write('logs/a.csv', `id\n${[...idsBetween(0, 100)].join('\n')}\n`);
    folder.write('logs/b.csv', 'id\n100\n');
    utimesSync(folder.path('logs/b.csv'), 1000, 1000);
    const waiting = { logs: `logs/b.csv: is not imported yet: ${paused}` };
    expect(await folder.data().sync()).toMatchObject({
      isComplete: false,
      waitingSince: 1_000_000,
      unreadableTables: 1,
      emptyTables: 0,
      warnings: ['Tables whose queries fail until all their files are imported: logs'],
    });
    expect(problems()).toEqual(waiting);
    room = 0;
    await reopen();
    await folder.sync();
    expect(problems()).toEqual(waiting);
    room = 1;
    await expectIds(...idsBetween(0, 101));
    expect(problems()).toEqual({});
  });

  test('a table whose rows were complete goes on with them, also after a restart', async () => {
    room = 1;
    folder.write('logs.ndjson', lines(1));
    await expectIds(1);
    folder.write('logs.csv', 'id\n2\n');
    append('logs.ndjson', lines(3));
    for (const _ of [1, 2]) {
      expect(await folder.data().sync()).toMatchObject({ isComplete: false, unreadableTables: 0 });
      expect(problems()).toEqual({});
      expect(await folder.ids()).toEqual([1]);
      await reopen();
    }
  });

  test('a table without a row has a problem, also if it once had some', async () => {
    room = 1;
    folder.write('logs.ndjson', lines(1));
    await expectIds(1);
    rmSync(folder.path('logs.ndjson'));
    for (const _ of [1, 2]) await folder.sync();
    folder.write('logs.csv', 'id\n2\n');
    await folder.sync();
    expect(problems()).toEqual({ logs: `logs.csv: is not imported yet: ${paused}` });
  });

  test('a table of which a file has been replaced in part has a problem', async () => {
    room = 4;
    const ids = (from: number, to: number) => `id\n${idsBetween(from, to).join('\n')}\n`;
    folder.write('logs.csv', ids(0, 200));
    await expectIds(...idsBetween(0, 200));
    room = 1;
    folder.write('logs.csv', ids(1000, 1300));
    await folder.sync();
    expect(await folder.ids()).toEqual(idsBetween(1000, 1100));
    expect(problems()).toEqual({ logs: `logs.csv: is not imported yet: ${paused}` });
  });

  test('tables that are reset have no problem meanwhile: their old rows are read until the new ones are complete', async () => {
    room = 2;
    folder.write('logs.ndjson', lines(1));
    await expectIds(1);
    room = 0;
    await folder.data().reset(['logs'], async () => {
      await folder.query('DELETE FROM import.files');
    });
    expect(await folder.data().sync()).toMatchObject({ isComplete: false });
    expect(problems()).toEqual({});
    room = 1;
    await folder.sync();
    expect(problems()).toEqual({});
  });

  test('tables of a store of an older release are complete if all their files are', async () => {
    room = 1;
    folder.write('logs.ndjson', lines(1));
    await expectIds(1);
    await folder.query('DROP TABLE import.complete_tables');
    await reopen();
    folder.write('logs.csv', 'id\n2\n');
    expect(await folder.data().sync()).toMatchObject({ isComplete: false, unreadableTables: 0 });
  });
});

test('a file that is removed while another one is loaded does not make that one unreadable', async () => {
  const { tables } = folder.store;
  const placed = folder.path('logs/1.parquet');
  folder.write('logs/0.ndjson', '');
  await folder.query(`COPY (SELECT 1::BIGINT AS id) TO '${placed}' (FORMAT parquet)`);
  await expectIds(1);
  await folder.reopen({
    tables: replacedBy((connection, change) => {
      if (change.added) rmSync(placed, { force: true });
      return tables.replaceRows(connection, change);
    }),
  });
  folder.write('logs/2.ndjson', lines(2));
  await folder.sync();
  await expectIds(2);
});

test('a batch with a repeated record is loaded again after its table has been rebuilt', async () => {
  const paths: string[] = [];
  const { tables } = folder.store;
  await folder.reopen({
    onRepeatedRecord: async (_, path) => void paths.push(path),
    tables: replacedBy(async (connection, change) => {
      if (paths.length < 2) await connection.run(`SELECT ${repeatedRecordError(`metadata.${paths.length}`)}`);
      return tables.replaceRows(connection, change);
    }),
  });
  folder.write('logs.ndjson', lines(1, 2));
  await expectIds(1, 2);
  expect(paths).toEqual(['metadata.0', 'metadata.1']);
});

test('while the data folder itself is missing, the store keeps its rows', async () => {
  folder.write('logs.ndjson', lines(1, 2));
  await expectIds(1, 2);
  renameSync(folder.dataDir, `${folder.dataDir}-away`);
  expect(await folder.sync()).toEqual(['the data folder cannot be read: ENOENT']);
  await expectIds(1, 2);
  await expectIds(1, 2);
  renameSync(`${folder.dataDir}-away`, folder.dataDir);
  await expectIds(1, 2);
});

test('of an error about the data folder, the first line is reported', async () => {
  const connect = async () => {
    const connection = await folder.store.connect();
    const { runAndReadAll } = connection;
    connection.runAndReadAll = (sql, ...more) =>
      /read_blob|glob/.test(sql)
        ? Promise.reject(new Error('HTTP Error: HTTP GET error (HTTP 403)\n\nLINE 1: FROM glob'))
        : runAndReadAll.call(connection, sql, ...more);
    return connection;
  };
  await folder.reopen({ dataDir: 's3://bucket/logs', connect });
  expect(await folder.sync()).toEqual([
    'the data folder cannot be read: HTTP Error: HTTP GET error (HTTP 403)',
  ]);
});
