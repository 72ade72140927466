import { describe, expect, test } from 'vitest';
import { parseFields } from '../../src/catalog/folder/load-tables.ts';
import { readYaml } from '../../src/files/read-yaml.ts';
import { parseKeys } from '../../src/keys/file/parse-keys.ts';
import { processorMs } from '../support/processor-time.ts';

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
    let read: ReturnType<typeof readYaml> | undefined;
    const ms = processorMs(() => {
      read = readYaml(text);
    });
    expect(read).toMatchObject({ problems: [{ line: 2, message: tooDeep('YAML') }] });
    expect(ms).toBeLessThan(100);
  });

  test('as a key file in JSON', () => {
    const text = `{"keys":\n${'['.repeat(50_000)}${']'.repeat(50_000)}}`;
    let parsed: ReturnType<typeof parseKeys> | undefined;
    const ms = processorMs(() => {
      parsed = parseKeys('keys.json', text);
    });
    expect(parsed?.problems).toMatchObject([{ file: 'keys.json', line: 2, message: tooDeep('YAML') }]);
    expect(ms).toBeLessThan(200);
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
  ])('%s are reported without much work, the first hundred', (_, part) => {
    let read: ReturnType<typeof readYaml> | undefined;
    const ms = processorMs(() => {
      read = readYaml(`a: b\n${part.repeat(20_000)}`);
    });
    expect(read && 'problems' in read && read.problems.length).toBe(100);
    expect(ms).toBeLessThan(500);
  });
});

test('a text with several documents is refused where the second one starts', () => {
  expect(readYaml('a: 1\n---\nb: 2\n')).toEqual({
    problems: [{ line: 2, column: 1, message: 'not valid YAML: has more than one document' }],
  });
});
