import { gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { openImportFolder } from './import-folder.ts';

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
  ])('%s', async (name, content) => {
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

  test('in CSV, where DuckDB reads the lines', async () => {
    const csv = `id,ts\n1,\n4,${long}\n2,\n3,\n`;
    for (const [name, content] of [
      ['logs.csv', csv],
      ['logs.csv.gz', gzipSync(csv)],
    ] as const) {
      const { problems, rejects, ids } = await imported(name, content);
      expect(ids).toEqual([1, 2, 3]);
      expect(rejects).toEqual([[3n, expect.stringMatching(/^Maximum line size/)]]);
      expect(problems).toEqual([expect.stringMatching(new RegExp(`^${name}:3: Maximum line size`))]);
    }
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
  ])('%s', async (_, content, ids) => {
    expect(await imported('logs.ndjson', content)).toEqual({ problems: [], rejects: [], ids });
  });

  test('in CSV, with line breaks in quotes', async () => {
    for (const cell of ['a'.repeat(15_000_000), `"${'a\n'.repeat(4_000_000)}"`]) {
      expect(await imported('logs.csv', `id,other\n1,${cell}\n2,\n`)).toEqual({
        problems: [],
        rejects: [],
        ids: [1, 2],
      });
    }
  });
});
