import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ShapeCollector } from '../../src/formats/infer-shape.ts';
import { depthOf, exactText, parseExact, parseJson, splitRows, textOf } from '@querygate/text';

const names = ['a', 'b', 'c "quoted" \\', 'é😀', '__proto__', 'constructor'];

const row = fc
  .uniqueArray(fc.tuple(fc.constantFrom(...names, 'undeclared'), fc.jsonValue()), {
    selector: ([name]) => name,
  })
  .map((members) => Object.fromEntries(members));

/** JSON text with spaces and line breaks between its parts, as values of type JSON may have. */
const spelled = fc.tuple(fc.array(row), fc.constantFrom(undefined, 1, '\n\t'));

test('rows are split into the cells that a parser of JSON reads', () => {
  const property = fc.property(spelled, ([rows, space]) => {
    const text = rows.map((one) => JSON.stringify(one, undefined, space)).join(',');
    const expected = rows.map((one) =>
      names.map((name) => (Object.hasOwn(one, name) ? parseJson(JSON.stringify(one[name])) : undefined)),
    );
    const cells = splitRows(text, names);
    expect(cells.map((one) => one.map((cell) => (cell === undefined ? undefined : parseJson(cell))))).toEqual(
      expected,
    );
  });
  fc.assert(property, { numRuns: 500 });
});

test('a cell has the text of the row, with all its digits and spaces', () => {
  expect(
    splitRows('{"a":12345678901234567890.10,"b":{"x": [1.0,\n2e5]},"c":"\\u00e9\\\\"}', ['a', 'b', 'c', 'd']),
  ).toEqual([['12345678901234567890.10', '{"x": [1.0,\n2e5]}', '"\\u00e9\\\\"', undefined]]);
  expect(textOf('"\\u00e9\\\\"')).toBe('é\\');
});

test.each(['{"a":"x', '{"a":[1', '{"a" 1}'])('%s is refused', (text) => {
  expect(() => splitRows(text, ['a'])).toThrow(TypeError);
});

test('the depth of a text is that of its brackets, not of its strings', () => {
  expect(['1', '"[[["', '[]', '{"a":[{"[":"\\"["}],"b":[]}'].map(depthOf)).toEqual([0, 0, 1, 3]);
});

test('parsed JSON keeps every digit of an integer', () => {
  const text = '{"a":[9007199254740993,-1,1.5,null,true,"x"],"b":{}}';
  expect(exactText(parseExact(text))).toBe(text);
  expect(parseExact('12345678901234567890')).toBe(12_345_678_901_234_567_890n);
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(parseJson(exactText(parseExact(JSON.stringify(value))))).toEqual(
        parseJson(JSON.stringify(value)),
      );
    }),
  );
});

const shapeOf = (...values: readonly string[]) => {
  const collector = new ShapeCollector();
  for (const value of values) collector.add(parseExact(value));
  return JSON.stringify(collector.shape, (_, one) => {
    if (one?.kind === 'list') return [one.element];
    if (one?.kind !== 'struct') return one?.kind ?? one;
    return Object.fromEntries(
      one.fields.map(({ name, shape }: { name: string; shape: unknown }) => [name, shape]),
    );
  });
};

test.each([
  [
    'the fields of all rows, in the order in which they are met',
    ['{"a":1}', '{"b":"x","a":null}'],
    '{"a":"integer","b":"string"}',
  ],
  ['integers beside other numbers', ['1', '1.5'], '"float"'],
  ['an integer beyond 2^53', ['9007199254740993'], '"json"'],
  ['a number and a text', ['[1]', '["x"]'], '["json"]'],
  ['an object and a list', ['{"a":1}', '[1]'], '"json"'],
  ['a list and an object', ['[1]', '{"a":1}', '2'], '"json"'],
  ['nothing but NULL', ['null'], '"json"'],
  ['an object without members', ['{}'], '"json"'],
  ['names that differ in case only', ['{"a":{"x":1,"X":2}}'], '{"a":"json"}'],
  ['lists of objects', ['[{"a":true}]', '[]'], '[{"a":"boolean"}]'],
])('the shape of %s', (_, values, expected) => {
  expect(shapeOf(...values)).toBe(expected);
});

test('an object with very many names is a map: JSON text', () => {
  const text = JSON.stringify(Object.fromEntries(Array.from({ length: 1_001 }, (_, at) => [`n${at}`, at])));
  expect(shapeOf(text)).toBe('"json"');
});
