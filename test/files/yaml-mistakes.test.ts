import { expect, test } from 'vitest';
import { readYaml } from '../../src/files/read-yaml.ts';

const keyAndValue = 'a line must be a key and its value, as in name: value, with a space after the colon';
const star = 'a text that starts with * must be in quotes';

test.each([
  ['a: 1\ntags: [x, y\nb: 2\n', '2:7 this list has no ] at its end, as in [a, b]'],
  ['a: [1, [2, 3]', '1:4 this list has no ] at its end, as in [a, b]'],
  ['a: {x: 1, y: 2\nb: 2\n', '1:4 this object has no } at its end, as in {a: 1, b: 2}'],
  ['a: "open\nb: 1\n', '1:4 this text has no " at its end, as in "a text"'],
  ["a: 1\nb: 'open", "2:4 this text has no ' at its end, as in 'a text'"],
  ['a: "x" y\n', `1:8 more text after the end of a value: put the whole in quotes, as in '"a" b'`],
  [
    `a: 'Shop's orders'\n`,
    "1:10 a ' inside a text in single quotes is written twice, as in 'it''s': or use double quotes",
  ],
  [
    `a: { b: 'Shop's', c: 'd' }\n`,
    "1:15 a ' inside a text in single quotes is written twice, as in 'it''s': or use double quotes",
  ],
  [
    'a: "say "hi""\n',
    String.raw`1:10 a " inside a text in double quotes is written \": or use single quotes`,
  ],
  [
    'a: { type: string required: true }\n',
    '1:12 a comma is missing before required:, or a text that contains ": " must be in quotes',
  ],
  ['a: { b: "c" d: 1 }\n', '1:13 a comma is missing before this'],
  ['a: ["b" "c"]\n', '1:9 a comma is missing before this'],
  ['a:\n  b: 1\n  - c\n', '3:1 one object has keys, as in name: value, or is a list with dashes: not both'],
  ['a: [1] ]\n', '1:8 a ] without a [ before it'],
  ['a: }\n', '1:4 a } without a { before it'],
  ['a: [,]\n', '1:5 a comma without a value before it'],
  [
    'a:\n  - b: 1\n  c: 2\n  d: 3\n  e: 4\n',
    '3:1 the keys of one object have equally many spaces before them',
  ],
  ['a:\n  b: 1\n c: 2\n', '3:1 the keys of one object have equally many spaces before them'],
  ['a:1\nb: 2\n', `1:1 ${keyAndValue}`],
  ['a: 1\nfoo\nb: 2\n', `2:1 ${keyAndValue}`],
  ['a: 1\n- 2\n', `2:1 ${keyAndValue}`],
  ['"a": 1\n"b" 2\n', `2:1 ${keyAndValue}`],
  ['a: - 1\n', '1:4 a list with dashes begins in the line below its key; in one line it is [a, b]'],
  ['a: 1\nb: *c\n', `2:4 ${star}`],
  ['a: *\n', `1:4 ${star}`],
  ['a: &a &b 1\n', '1:7 a text that starts with & must be in quotes'],
  ['a: "x"#c\n', '1:7 a comment has a space before its #'],
  ['a: |x\n  y\n', '1:5 after | or >, a text begins in the next line'],
  [
    'a: "\\q"\n',
    String.raw`1:5 in double quotes, \ begins an escape such as \n: write \\, or the text in single quotes`,
  ],
])('%j is one mistake, in words, at its place', (text, expected) => {
  const read = readYaml(text);
  const problems = 'problems' in read ? read.problems : [];
  expect(problems.map(({ line, column, message }) => `${line}:${column} ${message}`)).toEqual([
    expected.replace(' ', ' not valid YAML: '),
  ]);
});

test.each([
  ['a: { type:string, description: D. }', '6 a space is missing after type:'],
  ['a: { type: string, required:true }', '20 a space is missing after required:'],
  ['a: { type:string }', '6 a space is missing after type:'],
  ['a: { b: one, two }', '14 a text that contains a comma must be in quotes inside { }'],
])('%j has a key without a value', (text, expected) => {
  const read = readYaml(text);
  const problems = 'problems' in read ? read.problems : [];
  expect(problems.map(({ column, message }) => `${column} ${message}`)).toEqual([expected]);
});

test('a text in quotes may be a key that contains a colon', () => {
  expect(readYaml('{ "a:b" }')).toMatchObject({ data: { 'a:b': null } });
});

test.each([
  ['CREATE TABLE t (a INT64);', 'it is a list or an object in brackets, with each text in double quotes'],
  ['id, shop\n1, 2\n', 'it is a list or an object in brackets, with each text in double quotes'],
  ['- name: a\n  type: STRING\n', 'name must be in double quotes, as in "name"'],
  ['[{ "name": a, "type": STRING }]', 'a must be in double quotes, as in "a"'],
  ['[{ "name": "a" "type": "STRING" }]', 'a comma is missing before this'],
])('%j is one mistake of JSON', (text, expected) => {
  const read = readYaml(text, 'json');
  expect('problems' in read && read.problems.map(({ message }) => message)).toEqual([
    `not valid JSON: ${expected}`,
  ]);
});

test('a mistake does not hide others in later lines', () => {
  const read = readYaml('a: [1\nb: 2\nb: 3\nc: "x" y\n');
  expect('problems' in read && read.problems.map(({ line }) => line)).toEqual([1, 3, 4]);
});
