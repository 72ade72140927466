import { describe, expect, test } from 'vitest';
import { offsetOf, problemAt, type Source } from '../src/problem.ts';

const reader = 'SELECT a\nFROM query.base';
const part = '-- A part.\nSELECT\n  wrong';

/** `WITH base AS (<part>)\n<reader>`, as it is put together. */
const before = 'WITH base AS (';
const whole = `${before}${part.slice(11)})\n${reader}`;
const source: Source = {
  file: 'reader.sql',
  line: 10,
  written: {
    texts: [
      { file: 'reader.sql', text: reader, line: 10 },
      { file: 'part.sql', text: part, line: 5 },
    ],
    pieces: [
      { start: 0, length: 0, of: 0, offset: reader.indexOf('query') },
      { start: before.length, length: part.length - 11, of: 1, offset: 11 },
      { start: whole.length - reader.length, length: reader.length, of: 0, offset: 0 },
    ],
  },
};

const placeOf = (start: number) => {
  const { file, line, column } = problemAt(whole, source, start, 'wrong');
  return `${file}:${line}:${column}`;
};

describe('the place of a problem', () => {
  test('is where a piece of the text was written', () => {
    expect(placeOf(whole.indexOf('wrong'))).toBe('part.sql:7:3');
    expect(placeOf(whole.indexOf('query.base'))).toBe('reader.sql:11:6');
  });

  test('is that of its cause in text that no author wrote', () => {
    expect(placeOf(3)).toBe('reader.sql:11:6');
  });

  test('is the end of a piece for text after it', () => {
    expect(placeOf(whole.indexOf(')\n'))).toBe('part.sql:7:8');
    expect(placeOf(whole.length + 9)).toBe('reader.sql:11:16');
  });

  test('has no pieces', () => {
    expect(problemAt(whole, source, 0, 'wrong')).toEqual({
      file: 'reader.sql',
      line: 11,
      column: 6,
      message: 'wrong',
    });
  });
});

test('an offset is found by line and column', () => {
  expect(reader.slice(offsetOf(reader, 2, 6))).toBe('query.base');
  expect(offsetOf(reader, 1, 1)).toBe(0);
});
