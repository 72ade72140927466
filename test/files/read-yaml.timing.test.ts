import { expect, test } from 'vitest';
import { readYaml } from '../../src/files/read-yaml.ts';
import { parseKeys } from '../../src/keys/file/parse-keys.ts';
import { medianOf } from '../support/median.ts';
import { processorMs } from '../support/processor-time.ts';

const deep = 50_000;

test.each([
  ['open brackets', '['.repeat(deep)],
  ['closed brackets', '['.repeat(deep) + ']'.repeat(deep)],
  ['open braces', '{a: '.repeat(deep)],
  ['dashes', `${'- '.repeat(deep)}a`],
  ['questions', `${'? '.repeat(deep)}a`],
])('a text of %s is refused before it is parsed', async (_, value) => {
  const ms = await medianOf(() => processorMs(() => readYaml(`keys:\n  ${value}`)));
  expect(ms).toBeLessThan(100);
});

test('a key file in JSON that is nested too deeply is refused before it is parsed', async () => {
  const text = `{"keys":\n${'['.repeat(deep)}${']'.repeat(deep)}}`;
  expect(await medianOf(() => processorMs(() => parseKeys('keys.json', text)))).toBeLessThan(200);
});

test.each([
  ['tags', '!a '],
  ['anchors', '&a '],
  ['brackets', ']'],
])('20,000 %s that are mistakes are read without much work', async (_, part) => {
  const text = `a: b\n${part.repeat(20_000)}`;
  expect(await medianOf(() => processorMs(() => readYaml(text)))).toBeLessThan(500);
});
