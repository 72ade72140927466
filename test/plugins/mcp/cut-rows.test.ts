import fc from 'fast-check';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { ResultColumn } from '../../../src/catalog/model/header-types.ts';
import { runSteps } from '../../../src/concurrency/loop-turns.ts';
import { cellWriter, csvCell } from '../../../src/plugins/mcp/rows/cells.ts';
import { summarizeColumns } from '../../../src/plugins/mcp/rows/column-summary.ts';
import { cutRows } from '../../../src/plugins/mcp/rows/cut-rows.ts';
import { RowCursor } from '../../../src/plugins/mcp/rows/row-cursor.ts';
import { splitObjects, visibleText } from '@querygate/text';

const documentOf = (...rows: readonly string[]) => Buffer.from(`{"result":[${rows.join(',')}]}`);

const columns = [
  { name: 'n', type: 'integer', repeated: false },
  { name: 'text', type: 'string', repeated: false },
] as const;

const limits = { maxRows: 100, maxBytes: 4_096 };

const cut = (identity: Buffer, from = 0) =>
  runSteps(cutRows({ identity }, columns.map(cellWriter), limits, from));

const at = (name: string, repeated = false) => ({ name, type: 'timestamp', repeated }) as const;

test('moments are text wherever they are, and other numbers keep their digits', () => {
  const write = (column: ResultColumn, cell: string) => {
    const identity = documentOf(`{"${column.name}":${cell}}`);
    const { json, text } = runSteps(cutRows({ identity }, [cellWriter(column)], limits));
    const [written] = splitObjects(json.slice(`[{"${column.name}":`.length));
    return { written, text };
  };
  const list =
    '["1970-01-01T00:00:00.000000Z",null,"9999-12-31T23:59:59.999999Z","0001-01-01T00:00:00.000000Z"]';
  expect(write(at('times', true), '[0,null,253402300799999999,-62135596800000000]')).toEqual({
    written: list,
    text: `times\n${csvCell(list)}\n`,
  });
  const text = { name: 'text', type: 'string', repeated: true };
  const fields = [
    at('seen'),
    text,
    { name: 'inner', type: 'record', repeated: true, fields: [at('all', true), text] },
  ];
  const record = { name: 'r', type: 'record', repeated: false, fields };
  const cell =
    '{"seen":1,"n":9007199254740993,"text":["\\"1\\\\",null],"inner":[{"all":[1],"other":{"seen":1},"text":["1"]},null]}';
  const moment = '"1970-01-01T00:00:00.000001Z"';
  const { written, text: line } = write(record, cell);
  expect(written).toBe(cell.replace('"seen":1,', `"seen":${moment},`).replace('[1]', `[${moment}]`));
  expect(line.split('1970-01-01T00:00:00.000001Z')).toHaveLength(3);
});

test('of a long list no more moments become text than an answer may have, some in each step', () => {
  const converted = vi.spyOn(Date.prototype, 'toISOString');
  onTestFinished(() => converted.mockRestore());
  for (const [length, maxBytes, most] of [
    [10_000, 32_768, 3_000],
    [30_000, 1_000_000, 30_000],
    [300_000, 1_000_000, 40_000],
  ] as const) {
    const identity = documentOf(`{"times":[${Array.from({ length }, (_, index) => index).join(',')}]}`);
    converted.mockClear();
    const steps = cutRows({ identity }, [cellWriter(at('times', true))], { maxRows: 100, maxBytes });
    let before = 0;
    for (let step = steps.next(); ; step = steps.next()) {
      expect(converted.mock.calls.length - before).toBeLessThanOrEqual(1_100);
      before = converted.mock.calls.length;
      if (!step.done) continue;
      expect(step.value.count).toBe(length === 30_000 ? 1 : 0);
      break;
    }
    expect(before).toBeLessThanOrEqual(most);
  }
});

describe('the summary of a result', () => {
  const all = [
    ...columns,
    { name: 'a "name"', type: 'numeric', repeated: false },
    { name: 'list', type: 'json', repeated: false },
  ] as const;
  const cells = fc.record(
    {
      n: fc.oneof(fc.integer(), fc.constantFrom(null, 1, 2, 10)),
      text: fc.oneof(
        fc.string({ unit: 'binary' }),
        fc.constantFrom(null, 'a', 'a b', 'a\n', '', 'b\\', '"', '"a'),
      ),
      'a "name"': fc.oneof(
        fc.bigInt({ min: 10n ** 16n, max: 10n ** 16n + 9n }).map(String),
        fc.bigInt().map(String),
        fc.constant(null),
      ),
      list: fc
        .anything({ withNullPrototype: false })
        .map((value) => JSON.parse(JSON.stringify(value) ?? 'null')),
    },
    { requiredKeys: [] },
  );

  test('has the number of NULLs, the least and the greatest value, and the values if they are few', () => {
    fc.assert(
      fc.property(fc.array(cells, { maxLength: 40 }), fc.integer({ min: 0, max: 2 }), (rows, spaces) => {
        const identity = documentOf(...rows.map((row) => JSON.stringify(row, undefined, spaces)));
        const summary = runSteps(summarizeColumns({ identity }, all.map(cellWriter)));
        for (const [at, { name, type }] of all.entries()) {
          const values = rows.map((row) => row[name] ?? null).filter((value) => value !== null);
          const distinct = [...new Set(values.map((value) => JSON.stringify(value)))];
          expect(summary[at]).toMatchObject({ name, nulls: rows.length - values.length });
          if (type === 'json' || values.length === 0) continue;
          const isNumber = type !== 'string';
          const sorted = distinct.toSorted((a, b) =>
            isNumber
              ? Number(BigInt(JSON.parse(a)) - BigInt(JSON.parse(b)))
              : Buffer.compare(Buffer.from(JSON.parse(a)), Buffer.from(JSON.parse(b))),
          );
          const shown = (json: string | undefined) => {
            const text = visibleText(String(JSON.parse(json ?? '')));
            return text.length > 60 ? `${text.slice(0, 60)}…` : text;
          };
          expect([summary[at]?.min, summary[at]?.max]).toEqual([shown(sorted[0]), shown(sorted.at(-1))]);
          expect(summary[at]?.distinct).toEqual(distinct.length > 20 ? undefined : distinct.map(shown));
        }
      }),
    );
  });

  test('compares decimals and moments exactly', () => {
    const moment = { name: 'moment', type: 'timestamp', repeated: false } as const;
    const amount = { name: 'amount', type: 'numeric', repeated: false } as const;
    const identity = documentOf(
      '{"moment":253402300799999990,"amount":"12345678901234567.12"}',
      '{"moment":253402300799999999,"amount":"12345678901234567.89"}',
      '{"moment":253402300799999991,"amount":"12345678901234567.1"}',
    );
    const summary = runSteps(summarizeColumns({ identity }, [moment, amount].map(cellWriter)));
    expect(summary.map(({ min, max }) => [min, max])).toEqual([
      ['9999-12-31T23:59:59.999990Z', '9999-12-31T23:59:59.999999Z'],
      ['12345678901234567.1', '12345678901234567.89'],
    ]);
  });

  test('compares bytes, and not their Base64', () => {
    const bytes = { name: 'bytes', type: 'bytes', repeated: false } as const;
    const identity = documentOf(...['aQ==', '+w==', 'AA=='].map((text) => `{"bytes":"${text}"}`));
    const [summary] = runSteps(summarizeColumns({ identity }, [bytes].map(cellWriter)));
    expect(summary).toMatchObject({ min: 'AA==', max: '+w==' });
  });

  test('has the beginning of a long value, wherever it is cut', () => {
    for (let length = 700; length < 730; length += 1) {
      const text = `${'\u0001é\\'.repeat(40)}${'x'.repeat(length)}`;
      const identity = documentOf(JSON.stringify({ n: 1, text }));
      const [, summary] = runSteps(summarizeColumns({ identity }, columns.map(cellWriter)));
      expect(summary?.min).toBe(`${visibleText(text).slice(0, 60)}…`);
    }
  });
});

describe('the rows of an answer', () => {
  test('end before a row that is far too long, which is not read', () => {
    // It has no end: reading all of it would fail.
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
