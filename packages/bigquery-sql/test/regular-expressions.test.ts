import { expect, test } from 'vitest';
import { ownSession } from './support/own-session.ts';

const { answer } = ownSession();

const refused = expect.stringContaining('Regular expression with \\B or \\C over text that is not ASCII');

test.each([
  ["REGEXP_EXTRACT(s, r'\\w*\\B')", [['n'], [null]]],
  ["REGEXP_EXTRACT(s, r'\\C', 2)", [['e'], [null]]],
  ["REGEXP_EXTRACT_ALL(s, r'n\\C|')", [[['ne']], [null]]],
  ["REGEXP_INSTR(s, r'\\B')", [['3'], [null]]],
  ["REGEXP_INSTR(s, r'\\B', 1, 1)", [['3'], [null]]],
  ["REGEXP_REPLACE(s, r'\\B', '-')", [['n-e'], [null]]],
  ["REGEXP_REPLACE(s, r'\\Q\\\\E\\C', '-')", [['ne'], [null]]],
])('%s fails where a match could end within a character', async (expression, safe) => {
  const select = (call: string) => answer(`SELECT ${call} FROM UNNEST(['ne', 'né']) AS s`);
  expect([await select(expression), await select(`SAFE.${expression}`)]).toEqual([refused, safe]);
});

test('nor do BYTES match within the characters of the text that they are read as', async () => {
  expect(await answer("SELECT REGEXP_EXTRACT(b'n\\xc3', rb'\\B')")).toEqual(refused);
  expect(await answer("SELECT REGEXP_REPLACE(b'n\\xc3', rb'\\C', b'-')")).toEqual(refused);
});

test.each([
  ["REGEXP_EXTRACT('é\\\\B', r'\\\\B')", '\\B'],
  ["REGEXP_EXTRACT('é\\\\C', r'\\Q\\C\\E')", '\\C'],
  ["REGEXP_CONTAINS('né', r'n\\C\\C$')", true],
  ["REGEXP_EXTRACT(CAST(NULL AS STRING), r'\\B')", null],
  ["REGEXP_EXTRACT('日本 foobar', r'foo\\Bbar')", 'foobar'],
  ["REGEXP_EXTRACT(b'\\xffab', rb'\\Bb')", 'Yg=='],
  ["ARRAY_LENGTH(REGEXP_EXTRACT_ALL('éé', r'.(\\B)'))", '2'],
  ["REGEXP_EXTRACT('né', r'n(\\w*)\\B')", null],
  ["REGEXP_INSTR('ü xabc', r'\\Bb')", '5'],
  ["REGEXP_REPLACE('ü xabc', r'\\Bb|^\\B', '_')", '_ü xa_c'],
])('%s is answered', async (expression, value) => {
  expect(await answer(`SELECT ${expression}`)).toEqual([[value]]);
});
