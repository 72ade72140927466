import { describe, expect, test } from 'vitest';
import { runSteps } from '../../../src/concurrency/loop-turns.ts';
import { cellWriter } from '../../../src/plugins/mcp/rows/cells.ts';
import { cutRows } from '../../../src/plugins/mcp/rows/cut-rows.ts';
import { RowCursor } from '../../../src/plugins/mcp/rows/row-cursor.ts';

const documentOf = (...rows: readonly string[]) => Buffer.from(`{"result":[${rows.join(',')}]}`);

const columns = [
  { name: 'n', type: 'integer', repeated: false },
  { name: 'text', type: 'string', repeated: false },
] as const;

const limits = { maxRows: 100, maxBytes: 4_096 };

const cut = (identity: Buffer, from = 0) =>
  runSteps(cutRows({ identity }, columns.map(cellWriter), limits, from));

describe('the rows of an answer', () => {
  test('end before a row that is far too long, which is not read', () => {
    // Whoever read all of it would find that it does not end.
    const endless = `{"n":2,"text":"${'x'.repeat(2_000_000)}`;
    expect(cut(documentOf('{"n":1,"text":"a"}', endless))).toMatchObject({ text: 'n,text\n1,a\n', count: 1 });
    expect(cut(documentOf(endless))).toMatchObject({ text: 'n,text\n', count: 0 });
  });

  test('end before a row that is a little too long, however it is escaped', () => {
    const escaped = (length: number) => `{"n":1,"text":"${'\\u0041'.repeat(length)}"}`;
    expect(cut(documentOf(escaped(4_000)))).toMatchObject({ count: 1 });
    expect(cut(documentOf(escaped(4_200)))).toMatchObject({ count: 0 });
  });

  test('begin after rows of any length', () => {
    const long = `{"n":1,"text":"${'\\"]}'.repeat(300_000)}"}`;
    expect(cut(documentOf(long, long, '{"n":3,"text":"c"}'), 2).text).toBe('n,text\n3,c\n');
  });

  test('are found wherever the reading stops in between', () => {
    const rows = ['{"a":"\\\\","b":[{"c":"}]"}]}', '{}', '{"a":"\\"{[","ü":"é"}'];
    const document = documentOf(...rows);
    for (let step = 1; step < 40; step += 1) {
      const cursor = new RowCursor(document);
      const found: string[] = [];
      while (!cursor.hasEnded)
        if (cursor.next(step)) found.push(document.toString('utf8', cursor.start, cursor.end));
      expect(found).toEqual(rows);
    }
    expect(new RowCursor(documentOf()).hasEnded).toBe(true);
  });
});
