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
  const shown = texts.map((text) => (/^[=+\-@\t\r\n＝]/.test(text) ? `'${text}` : text));
  expect(lines.slice(0, -1)).toEqual(shown.map((text) => `${quoted(text)},-1,-0.5`));
});

test('CSV has every cell as it is', () => {
  const [names, ...lines] = linesOf(false);
  expect(names).toBe('text,n,share');
  expect(lines.slice(0, -1)).toEqual(texts.map((text) => `${quoted(text)},-1,-0.5`));
});
