import { describe, expect, test } from 'vitest';
import { isSame } from '../../conformance/compare.ts';
import { type Answer, scalar, type Value } from '../../conformance/values.ts';

const cell = (value: Value): Answer => ({ columns: ['x'], rows: [[value]] });
const failed: Answer = { error: 'division by zero', stage: 'evaluation' };

describe('two answers', () => {
  test('an integer is not a float', () => {
    expect(isSame(cell(scalar('INT64', '1')), cell(scalar('FLOAT64', '1')), true)).toBe(false);
  });

  test('floats may differ in their last digits, NaN and infinities may not', () => {
    const same = (a: string, b: string) =>
      isSame(cell(scalar('FLOAT64', a)), cell(scalar('FLOAT64', b)), true);
    expect(same('0.30000000000000004', '0.3')).toBe(true);
    expect(same('0.3001', '0.3')).toBe(false);
    expect(same('NaN', 'NaN')).toBe(true);
    expect(same('Infinity', '-Infinity')).toBe(false);
    expect(same('Infinity', '1e308')).toBe(false);
  });

  test('an error equals only another error', () => {
    expect(isSame(failed, { error: 'something else', stage: 'analysis' }, true)).toBe(true);
    expect(isSame(failed, cell(null), true)).toBe(false);
  });

  test('the order of rows matters if the query has ORDER BY', () => {
    const rows = (...texts: string[]): Answer => ({
      columns: ['x'],
      rows: texts.map((text) => [scalar('STRING', text)]),
    });
    expect(isSame(rows('a', 'b'), rows('b', 'a'), false)).toBe(true);
    expect(isSame(rows('a', 'b'), rows('b', 'a'), true)).toBe(false);
    expect(isSame(rows('a', 'a'), rows('a'), false)).toBe(false);
  });

  test('a column name matters if the query defines it', () => {
    const named = (name: string): Answer => ({ columns: [name], rows: [] });
    expect(isSame(named('f0_'), named('$col1'), true)).toBe(true);
    expect(isSame(named('a'), named('b'), true)).toBe(false);
  });
});
