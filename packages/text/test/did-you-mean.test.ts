import { expect, test } from 'vitest';
import { didYouMean } from '../src/nearest-name.ts';

test.each([
  ['edge_log', ['edge_logs', 'auth_logs'], '; did you mean edge_logs?'],
  ['CACHNG', ['caching', 'columns'], '; did you mean caching?'],
  ['cout', ['COUNT'], '; did you mean COUNT?'],
  ['foo', ['cos', 'max'], ''],
  ['x', ['y'], ''],
  ['x'.repeat(200), ['x'.repeat(199)], ''],
  ['anything', [], ''],
  ['params', ['name', 'parameters'], '; did you mean parameters?'],
  ['col', ['columns', 'color'], ''],
])('%s among %j: %j', (text, names, expected) => {
  expect(didYouMean(text, names)).toBe(expected);
});

test('no more than the first 10,000 names are looked at', () => {
  let looked = 0;
  function* names() {
    for (; looked < 100_000; looked += 1) yield `column_${looked}`;
  }
  didYouMean('an_unknown_name', names());
  expect(looked).toBe(10_000);
});
