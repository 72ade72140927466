import { test } from 'node:test';
import { testEngine } from 'querygate/engine-test';
import { arrayEngine } from './array-engine.ts';

const numbers = (count: number) => Array.from({ length: count }, (_, at) => ({ x: at + 1 }));

/** What each case returns. */
const cases = {
  types: [
    {
      text: 'a "quoted" \\ ü 👍',
      whole: 9007199254740991,
      least: -9007199254740991,
      part: 0.1,
      exact: '100.50',
      yes: true,
      moment: '2026-03-10 12:34:56.789012Z',
      ancient: '0001-01-01 00:00:00Z',
      local: '2026-03-10 12:34:56',
      later: '2026-03-10 12:34:56.500000',
      day: '2026-03-10',
      clock: '12:34:56',
      tick: '12:34:56.500000',
      raw: Buffer.from('abc'),
    },
  ],
  nested: [
    {
      json: { a: [1, null] },
      record: { here: 1, absent: null, moment: 1000000 },
      list: [1, 2],
      records: [{ name: 'x', moments: [1000000] }],
    },
  ],
  nulls: [{ here: 1, absent: null, infinite: Number.POSITIVE_INFINITY }],
  beyondMaxRows: numbers(11),
  asManyAsMaxRows: numbers(10),
  noRows: [],
  ordered: numbers(5000).reverse(),
  longText: [{ x: 'a'.repeat(1_000_000) }],
  lists: [{ x: 'b' }, { x: "'a" }, { x: '' }],
  unsafeInteger: [{ x: 2 ** 53 }],
  missingRequired: [{ x: null }],
  one: [{}],
};

testEngine({
  test,
  engine: arrayEngine(
    Object.entries(cases).flatMap(([name, rows]) => rows.map((row) => ({ case: name, ...row }))),
  ),
  statements: {
    ...Object.fromEntries(Object.keys(cases).map((name) => [name, `case = ${name}`])),
    lists: 'case = lists and x = @words',
    echo: 'case = one and @word as said',
    now: 'case = one and now as x',
    failing: 'case = one and word as x',
    endless: 'case = one and sleep 1000',
  },
  // Its parameters are texts.
  omit: ['typedParameters', 'wrongValue'],
});
