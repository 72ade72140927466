import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runProcess, writeVisits } from './support/command.ts';
import { nightly } from '../../../test/support/nightly.ts';

const home = join(import.meta.dirname, '..');
const readme = readFileSync(join(home, 'README.md'), 'utf8');
/** Below the package, whose name its modules can import. */
const folder = mkdtempSync(join(home, 'test', 'example-'));
beforeAll(async () => {
  await writeVisits(join(folder, 'visits.duckdb'));
  writeFileSync(join(folder, 'visits.csv'), 'page,n\nhome,3\nabout,4\n');
});
afterAll(() => rmSync(folder, { recursive: true }));

const textAfter = (start: string, pattern: RegExp) =>
  pattern.exec(readme.slice(readme.indexOf(start)))?.[1] ?? '';

function run(file: string, code: string) {
  writeFileSync(join(folder, file), code);
  const { stdout, stderr } = spawnSync(process.execPath, [file], { encoding: 'utf8', cwd: folder });
  return { stdout, stderr };
}

test('the example of the API prints what the README says', () => {
  const code = textAfter('## API', /```ts\n([\s\S]*?)```/);
  const printed = textAfter('It prints:', /```\n([\s\S]*?)```/);
  expect(run('example.ts', code)).toEqual({ stdout: printed, stderr: '' });
});

test('the example of the library is ten lines, and prints what the README says', () => {
  const code = textAfter('## Library', /```js\n([\s\S]*?)```/);
  const printed = textAfter('## Library', /\n\n```\n([\s\S]*?)```/);
  expect(code.split('\n').filter((line) => line !== '').length).toBeLessThanOrEqual(11);
  expect(run('library.js', code)).toEqual({ stdout: printed, stderr: '' });
});

nightly('the unit test of the recipe passes, and fails for other SQL', () => {
  const code = textAfter('### Unit tests of SQL', /```js\n([\s\S]*?)```/);
  writeFileSync(join(folder, 'revenue.test.js'), code);
  // A busy machine takes longer than the five seconds of a test.
  const args = ['run', '--root', folder, '--testTimeout', '60000'];
  const vitest = () =>
    spawnSync(process.execPath, [resolve('node_modules/vitest/vitest.mjs'), ...args], { encoding: 'utf8' });
  expect(vitest()).toMatchObject({ status: 0, stdout: expect.stringContaining('1 passed') });
  writeFileSync(join(folder, 'revenue.test.js'), code.replace("WHERE status = 'paid' ", ''));
  expect(vitest()).toMatchObject({ status: 1, stdout: expect.stringContaining('1 failed') });
});

nightly('the command prints what the README says', () => {
  const examples = [...readme.matchAll(/^ {4}\$ bigquery-sql (.*)\n((?: {4}(?!\$ ).*\n)+)/gm)];
  expect(examples).toHaveLength(8);
  const words = (line: string) =>
    // As a shell splits them.
    [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
  for (const [, line = '', printed = ''] of examples) {
    const { stdout, stderr } = runProcess(words(line), '', folder);
    const output = `${stdout}${stderr}`.replaceAll('\r', '').replace(/\d+ ms/, '5 ms');
    expect(output, line).toBe(printed.replace(/^ {4}/gm, ''));
  }
  const [, first = ''] = /npx @querygate\/bigquery-sql (.+)/.exec(readme) ?? [];
  writeFileSync(join(folder, 'events.csv'), 'status,path\n200,/\n404,/x\n200,/y\n');
  expect(runProcess(['--json', ...words(first)], '', folder)).toMatchObject({
    status: 0,
    stdout: expect.stringContaining('"rows":[["200","2"],["404","1"]]'),
  });
});
