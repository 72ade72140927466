import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { type PageFile, pageFiles } from '../page-files.ts';

describe('the files of the pages', () => {
  let files: readonly PageFile[];
  beforeAll(async () => {
    files = await pageFiles();
  });

  test('have one script, which imports nothing', () => {
    const script = files.find(({ name }) => name === 'pages.js')?.body ?? '';
    const checked = spawnSync(process.execPath, ['--check', '--input-type=module', '-'], {
      input: script,
      encoding: 'utf8',
    });
    expect(checked).toMatchObject({ status: 0, stderr: '' });
    expect(script).not.toMatch(/\bimport\s*[({'"]|\bfrom\s*['"]/);
  });

  test('come with the licences of the packages in them', () => {
    const licences = files.find(({ name }) => name === 'licences.txt')?.body ?? '';
    for (const name of ['d3-array', 'd3-time', 'internmap'])
      expect(licences).toMatch(new RegExp(`^${name}\n\nCopyright .* Mike Bostock`, 'm'));
  });

  test('are committed as npm run generate writes them', () => {
    const folder = 'packages/pages/built/pages';
    const committed = readdirSync(folder).map((name) => [name, readFileSync(`${folder}/${name}`, 'utf8')]);
    const built = files.map(({ name, body }) => [name, body]);
    expect(Object.fromEntries(committed)).toEqual(Object.fromEntries(built));
  });
});
