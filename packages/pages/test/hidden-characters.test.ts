import { visibleText } from '@querygate/text';
import { expect, test } from 'vitest';
import type { Endpoint } from '../src/endpoint.ts';
import { plainText } from '../src/hidden-characters.ts';
import { pythonSnippet, typescriptSnippet } from '../src/snippets/snippets.ts';

test('the pages show the code of the same characters as other programs', () => {
  const others: number[] = [];
  for (let code = 0; code < 0xf0000; code += code === 0xffff ? 0xd0001 : 1) {
    const character = String.fromCodePoint(code);
    // What is left of a surrogate, and blanks, is shown otherwise.
    if (/\s/.test(character) || !character.isWellFormed()) continue;
    if ((plainText(character) === character) !== (visibleText(character) === character)) others.push(code);
  }
  expect(others).toEqual([]);
  expect(plainText('a\u{e0041}\u2063b')).toBe('aU+E0041U+2063b');
});

test('snippets have them as escapes', () => {
  const endpoint = { columns: [], path: '/x' } as unknown as Endpoint;
  const given = { origin: 'http://a', endpoint, values: new Map([['p', ['a\u{e0041}\u2063b']]]) };
  expect(typescriptSnippet(given)).toContain('"a\\u{e0041}\\u2063b"');
  expect(pythonSnippet(given)).toContain('"a\\U000e0041\\u2063b"');
});
