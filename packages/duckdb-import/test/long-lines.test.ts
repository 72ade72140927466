import { gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { openImportFolder } from './import-folder.ts';
import { nightly } from '../../../test/support/nightly.ts';

const long = 'a'.repeat(20_000_000);
const lines = `{"id":1}\n${long}\n{"id":2}\n{"id":3}\n`;

const imported = async (name: string, content: string | Buffer) => {
  const folder = await openImportFolder();
  try {
    folder.write(name, content);
    const problems = await folder.sync();
    const rejects = await folder.query('SELECT line, reason FROM import.rejects ORDER BY line');
    return { problems, rejects, ids: await folder.ids() };
  } finally {
    await folder.close();
  }
};

describe('a line that is too long is rejected, and the other lines of its file are not', () => {
  test.each<[string, string | Buffer]>([
    ['logs.ndjson', lines],
    ['logs.ndjson.gz', gzipSync(lines)],
    ['logs.ndjson.zst', zstdCompressSync(lines)],
    // What is read of it before it is too long would be a row.
    ['logs.ndjson', lines.replace('aaaa', '{"id":4}    '.padEnd(17_000_000))],
    ['logs.ndjson', `\uFEFF${lines}`],
    ['logs.ndjson.gz', gzipSync(lines.replaceAll('\n', '\r\n'))],
  ])('a line that is too long is rejected in %s', async (name, content) => {
    expect(await imported(name, content)).toEqual({
      problems: [`${name}:2: the line is longer than 16 MB`],
      rejects: [[2n, 'the line is longer than 16 MB']],
      ids: [1, 2, 3],
    });
  });

  test('the last one, whose file has no newline at its end', async () => {
    expect(await imported('logs.ndjson.gz', gzipSync(`{"id":1}\n${long}`))).toEqual({
      problems: ['logs.ndjson.gz:2: the line is longer than 16 MB'],
      rejects: [[2n, 'the line is longer than 16 MB']],
      ids: [1],
    });
  });

  test('an element of a JSON array', async () => {
    const array = `[{"id":1},{"ts":"${long}"},{"id":2},{"id":3}]`;
    for (const [name, content] of [
      ['logs.json', array],
      ['logs.json.gz', gzipSync(array)],
    ] as const) {
      expect(await imported(name, content)).toEqual({
        problems: [`${name}: row 2: the line is longer than 16 MB`],
        rejects: [[2n, 'the line is longer than 16 MB']],
        ids: [1, 2, 3],
      });
    }
  });

  describe('a row of CSV', () => {
    const lineBreaks = 'y\n'.repeat(9_000_000);
    const reason = 'the line is longer than 16 MB';

    test.each<[string, string, number, number[]]>([
      ['without quotes', `id,other\n1,\n4,${long}\n2,\n3,\n`, 3, [1, 2, 3]],
      // DuckDB does not report a row that is longer than its buffer.
      ['longer than two limits', `id,other\n1,\n4,${long}${long}\n2,\n3,\n`, 3, [1, 2, 3]],
      ['with CRLF', `id,other\r\n1,\r\n4,${long}\r\n2,\r\n3,\r\n`, 3, [1, 2, 3]],
      ['with line breaks in quotes', `id,other\n1,\n4,"${lineBreaks}"\n2,\n3,\n`, 3, [1, 2, 3]],
      ['with quotes in quotes', `id,other\n1,\n4,"""${lineBreaks}""\n5,"",""\n"\n2,\n3,\n`, 3, [1, 2, 3]],
      ['with a space before the quote', `id,other\n1,\n4, "${lineBreaks}"\n2,\n`, 3, [1, 2]],
      ['after a row of several lines', `id,other\n1,"a\nb"\n4,"${lineBreaks}"\n2,\n`, 4, [1, 2]],
      ['after quotes within a cell', `id,other\n1,a"b\n4,"${lineBreaks}"\n2,"\n"\n`, 3, [1, 2]],
      ['whose quote is not closed', `id,other\n1,\n2,"${lineBreaks}`, 3, [1]],
    ])('is rejected alone %s', async (_, csv, line, ids) => {
      expect(await imported('logs.csv', csv)).toEqual({
        problems: [`logs.csv:${line}: ${reason}`],
        rejects: [[BigInt(line), reason]],
        ids,
      });
    });

    test.each([
      ['logs.csv.gz', gzipSync],
      ['logs.csv.zst', zstdCompressSync],
    ])('in %s', async (name, compress) => {
      expect(await imported(name, compress(`id,other\n1,\n4,"${lineBreaks}"\n2,\n`))).toEqual({
        problems: [`${name}:3: ${reason}`],
        rejects: [[3n, reason]],
        ids: [1, 2],
      });
    });

    test('beside rows that are not valid, which keep their numbers', async () => {
      const csv = `id,other\n1,\n4,${long}\nbad\n2,\n7,"a"b\n3,\n`;
      const { rejects, ids } = await imported('logs.csv', csv);
      expect(ids).toEqual([1, 2, 3]);
      expect(rejects).toEqual([
        [3n, reason],
        [4n, expect.stringMatching(/^Expected Number of Columns/)],
        [6n, expect.stringMatching(/quote/)],
      ]);
    });
  });

  test('a header of CSV makes its file unreadable', async () => {
    expect(await imported('logs.csv', long)).toEqual({
      problems: ['logs.csv: the line is longer than 16 MB'],
      rejects: [],
      ids: [],
    });
  });

  test('of a growing file, whose line is not complete yet', async () => {
    const folder = await openImportFolder();
    try {
      folder.write('logs.ndjson', `{"id":1}\n${long}`);
      await folder.sync();
      expect(await folder.ids()).toEqual([1]);
      folder.write('logs.ndjson', lines);
      expect(await folder.sync()).toEqual(['logs.ndjson:2: the line is longer than 16 MB']);
      expect(await folder.ids()).toEqual([1, 2, 3]);
      const rejects = await folder.query('SELECT line, reason FROM import.rejects');
      expect(rejects).toEqual([[2n, 'the line is longer than 16 MB']]);
    } finally {
      await folder.close();
    }
  });
});

describe('a line of 16 MB is not too long', () => {
  const row = '{"id":1,"other":""}'.replace('""', `"${'a'.repeat(16_000_000 - 19)}"`);

  test.each([
    ['with a newline', `${row}\n{"id":2}\n`, [1, 2]],
    ['without one', row, [1]],
  ])('but imported %s', async (_, content, ids) => {
    expect(await imported('logs.ndjson', content)).toEqual({ problems: [], rejects: [], ids });
  });

  nightly('in CSV, with line breaks in quotes', async () => {
    for (const cell of ['a'.repeat(15_000_000), `"${'a\n'.repeat(4_000_000)}"`]) {
      expect(await imported('logs.csv', `id,other\n1,${cell}\n2,\n`)).toEqual({
        problems: [],
        rejects: [],
        ids: [1, 2],
      });
    }
  });
});
