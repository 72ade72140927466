import { describe, expect, test } from 'vitest';
import { parseFields } from '../../src/catalog/folder/load-tables.ts';
import { readYaml } from '../../src/files/read-yaml.ts';
import { parseKeys } from '../../src/keys/file/parse-keys.ts';

describe('a text that is nested too deeply', () => {
  const tooDeep = (format: string) =>
    `not valid ${format}: has more than 100 lists and objects inside each other`;

  test.each([
    ['open brackets', `keys:\n  ${'['.repeat(50_000)}`],
    ['closed brackets', `keys:\n  ${'['.repeat(50_000)}${']'.repeat(50_000)}`],
    ['open braces', `keys:\n  ${'{a: '.repeat(50_000)}`],
    ['dashes', `keys:\n  ${'- '.repeat(50_000)}a`],
    ['questions', `keys:\n  ${'? '.repeat(50_000)}a`],
  ])('%s are refused with their line, before they are parsed', (_, text) => {
    expect(readYaml(text)).toMatchObject({ problems: [{ line: 2, message: tooDeep('YAML') }] });
  });

  test('as a key file in JSON', () => {
    const text = `{"keys":\n${'['.repeat(50_000)}${']'.repeat(50_000)}}`;
    const { problems } = parseKeys('keys.json', text);
    expect(problems).toMatchObject([{ file: 'keys.json', line: 2, message: tooDeep('YAML') }]);
  });

  test('reports no problem for records as deep as BigQuery has them', () => {
    const field = (depth: number): unknown =>
      depth === 0
        ? { name: 'a', type: 'STRING' }
        : { name: 'a', type: 'RECORD', mode: 'REPEATED', fields: [field(depth - 1)] };
    const read = readYaml(JSON.stringify([field(15)]), 'json');
    expect('data' in read && parseFields(read.data).success).toBe(true);
  });
});

describe('many mistakes in one line', () => {
  test.each([
    ['tags', '!a '],
    ['anchors', '&a '],
    ['brackets', ']'],
  ])('%s are reported, the first hundred', (_, part) => {
    const read = readYaml(`a: b\n${part.repeat(20_000)}`);
    expect('problems' in read && read.problems.length).toBe(100);
  });
});

test('a text with several documents is refused where the second one starts', () => {
  expect(readYaml('a: 1\n---\nb: 2\n')).toEqual({
    problems: [{ line: 2, column: 1, message: 'not valid YAML: has more than one document' }],
  });
});

test.each([
  ['a list', 'description: &a [*a]', 18],
  ['an object', 'columns: &c { n: { fields: *c } }', 28],
])('an alias within %s that it names is refused', (_, text, column) => {
  const message = expect.stringMatching(/^not valid YAML: \*[ac] is within what it names$/);
  expect(readYaml(text)).toEqual({ problems: [{ line: 1, column, message }] });
  expect(readYaml('a: &b [1]\nc: [*b, *b]')).toMatchObject({ data: { c: [[1], [1]] } });
});
