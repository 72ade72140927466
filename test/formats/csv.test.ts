import { expect, test } from 'vitest';
import { csvParts } from '../../src/formats/csv.ts';
import { column } from '../support/column.ts';

const texts = ['=cmd|"/C calc"!A0', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '\n=1', '＝1', "'=1", 'a=1', ''];
const columns = [column('text', 'string'), column('n', 'integer'), column('share', 'float')];
const rows = texts.map((text) => JSON.stringify({ text, n: -1, share: -0.5 }));
const identity = Buffer.from(`{"result":[${rows.join(',')}]}`);
const linesOf = (isForExcel: boolean) =>
  [...csvParts({ identity, columns }, isForExcel)].join('').split('\r\n');
const quoted = (text: string) =>
  /[",\r\n]|^\s/.test(text) || text === '' ? `"${text.replaceAll('"', '""')}"` : text;

test('CSV for Excel has no text that is taken for a formula, and numbers as they are', () => {
  const [names, ...lines] = linesOf(true);
  expect(names).toBe('\ufefftext,n,share');
  const shown = texts.map((text) => {
    if (/^[\t\r\n]/.test(text)) return `'${text[0]}'${text.slice(1)}`;
    return /^[=+\-@＝]/.test(text) ? `'${text}` : text;
  });
  expect(lines.slice(0, -1)).toEqual(shown.map((text) => `${quoted(text)},-1,-0.5`));
});

/** The cells of CSV as a spreadsheet splits it: quotes count only at the start of a cell. */
function cellsOf(csv: string, separator: string): readonly string[] {
  const cells: string[] = [];
  for (let at = 0; at <= csv.length; at += 1) {
    let cell = '';
    if (csv[at] === '"') {
      for (at += 1; at < csv.length && (csv[at] !== '"' || csv[at + 1] === '"'); at += 1) {
        cell += csv[at];
        if (csv[at] === '"') at += 1;
      }
      at += 1;
    }
    for (; at < csv.length && csv[at] !== separator && !/[\r\n]/.test(csv[at] ?? ''); at += 1)
      cell += csv[at];
    cells.push(cell);
  }
  return cells;
}

test.each([',', ';', '\t'])(
  'no cell of CSV for Excel begins a formula, where %j separates cells',
  (separator) => {
    const parts = ['x', '=1+1', '+1', '-1', '@A1', '＝1', ';', '\t', '\n', '\r', '\r\n', '"', ' ', ','];
    const made = parts.flatMap((a) =>
      parts.flatMap((b) => parts.flatMap((c) => [a + b + c, `${a}${b}${c}=1`])),
    );
    const both = [column('first', 'string'), column('x;=1', 'string')];
    const lines = made.map((text) => JSON.stringify({ first: text, 'x;=1': text }));
    const csv = [
      ...csvParts({ identity: Buffer.from(`{"result":[${lines.join(',')}]}`), columns: both }, true),
    ].join('');
    const cells = cellsOf(csv, separator);
    expect(cells.filter((cell) => /^[=+\-@＝]/.test(cell))).toEqual([]);
    if (separator === ',') expect(cells.filter((cell) => cell.includes("x;'=1"))).not.toEqual([]);
  },
);

test('texts of CSV for Excel are themselves without the apostrophes before formulas', () => {
  const first = ['x;=1+1', 'a;"=1', 'a\t-1', 'a\n@b', 'a; +1', "a;'b", 'a;b=1', 'a,=1', 'a-1'];
  const lines = first.map((text) => JSON.stringify({ text }));
  const identity = Buffer.from(`{"result":[${lines.join(',')}]}`);
  const csv = [...csvParts({ identity, columns: [column('text', 'string')] }, true)].join('').slice(1);
  const cells = cellsOf(csv.replaceAll('\r\n', '\r'), ',').slice(1, -1);
  expect(cells).toEqual(["x;'=1+1", 'a;"\'=1', "a\t'-1", "a\n'@b", "a; '+1", "a;'b", 'a;b=1', 'a,=1', 'a-1']);
  expect(cells.map((cell) => cell.replaceAll(/'(?=[=+\-@＝])/g, ''))).toEqual(first);
});

test('CSV has every cell as it is', () => {
  const [names, ...lines] = linesOf(false);
  expect(names).toBe('text,n,share');
  expect(lines.slice(0, -1)).toEqual(texts.map((text) => `${quoted(text)},-1,-0.5`));
});
