import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseJson } from '../src/parse-json.ts';

/** Some keys that are equal to the beginning of another one's JSON text, and such that objects treat in their own way. */
const key = fc.oneof(
  fc.constantFrom('\\', '"', '\n', 'a\\', 'a"', 'a\n', '\\\\', '\\"', 'u0041', '__proto__', '0', 'key-0', ''),
  fc.string({ unit: 'binary', maxLength: 4 }).filter((text) => text.isWellFormed()),
);
const value = fc.letrec((tie) => ({
  value: fc.oneof({ depthSize: 'small' }, fc.integer(), key, fc.array(tie('value')), tie('object')),
  object: fc
    .array(fc.tuple(key, tie('value')), { maxLength: 4 })
    .map((members) => Object.fromEntries(members)),
})).value;

/** JSON text in which the characters of keys are escaped where a mask says so. */
const escaped = (json: string, mask: readonly boolean[]): string => {
  let at = 0;
  return json.replace(/"((?:[^"\\]|\\.)*)"(?=:)/g, (_, content: string) => {
    const characters = (JSON.parse(`"${content}"`) as string).split('').map((character) => {
      at += 1;
      return mask[at % mask.length] === true
        ? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
        : JSON.stringify(character).slice(1, -1);
    });
    return `"${characters.join('')}" \t\r\n`;
  });
};

describe('keys of JSON', () => {
  test.each([
    ['{"a":1,"\\\\":2}', '{"a":1,"\\n":2}', '\n'],
    ['{"b":1,"x\\\\":2}', '{"b":1,"x\\"":2}', 'x"'],
    ['{"c":1,"x\\\\":2}', '{"c":1,"x\\u0041":2}', 'xA'],
  ])('after %s, those of %s are read as they are', (earlier, text, expected) => {
    JSON.parse(earlier);
    expect(Object.keys(parseJson(text) as object)[1]).toBe(expected);
    expect(Object.keys(parseJson(text, (each) => each) as object)[1]).toBe(expected);
  });

  test('what was written is read, whatever was read before', () => {
    fc.assert(
      fc.property(value, fc.array(fc.boolean(), { minLength: 1 }), (written, mask) => {
        const json = JSON.stringify(written);
        // As text: equality of objects knows no order, and no member called __proto__.
        expect(JSON.stringify(parseJson(escaped(json, mask)))).toBe(json);
        expect(JSON.stringify(parseJson(json, (each) => each))).toBe(json);
      }),
      { numRuns: 3_000 },
    );
  });

  test('of equal keys the last one counts, at the place of the first', () => {
    expect(JSON.stringify(parseJson('{"a":1,"b":2,"\\u0061":3}'))).toBe('{"a":3,"b":2}');
    expect(JSON.stringify(parseJson('{"\\u0061":1,"b":2,"a":3}'))).toBe('{"a":3,"b":2}');
  });

  test('a function gets values with their keys, and the text of each scalar', () => {
    const seen: unknown[] = [];
    parseJson('{"\\n":1.0,"b":[true]}', (each, source) => {
      seen.push([each, source]);
      return each;
    });
    expect(seen).toEqual([
      [1, '1.0'],
      [true, 'true'],
      [[true], undefined],
      [{ '\n': 1, b: [true] }, undefined],
    ]);
  });
});

test.each([
  '',
  '{',
  '{"a\\":1}',
  '{\\"a":1}',
  '{"\\x":1}',
  '{"\\n":1',
  '\\',
  '"\\',
  '{"a":"\\n":1}',
  '{"\\n":key-0}',
])('what is not JSON is refused: %s', (text) => {
  expect(() => parseJson(text)).toThrow(SyntaxError);
});
