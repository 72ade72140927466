import { visibleText } from '@querygate/text';
import { expect, test } from 'vitest';
import type { Endpoint } from '../src/endpoint.ts';
import { plainText } from '../src/hidden-characters.ts';
import { curlSnippet, graphqlVariables, pythonSnippet, typescriptSnippet } from '../src/snippets/snippets.ts';

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

test('neither a curl command nor the variables of GraphQL hold them', () => {
  const parameters = [{ name: 'p', schema: { type: 'string' } }];
  const endpoint = { path: '/x', parameters, graphql: { variables: {} } } as unknown as Endpoint;
  const text = "it's\u0003\ntouch /tmp/x\n#\u202eb\u{e0041}";
  const given = { origin: 'http://a', endpoint, values: new Map([['p', [text]]]) };
  expect(curlSnippet(given)).toContain(
    "--data 'p=it'\\''s%03%0Atouch%20%2Ftmp%2Fx%0A%23%E2%80%AEb%F3%A0%81%81' \\\n",
  );
  const variables = graphqlVariables(given);
  expect(variables).toContain('#\\u202eb\\udb40\\udc41"');
  expect(JSON.parse(variables)).toEqual({ p: text });
});
