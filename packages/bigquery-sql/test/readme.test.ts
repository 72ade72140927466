import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { runCommand, writeVisits } from './support/command.ts';

const home = join(import.meta.dirname, '..');
const readme = readFileSync(join(home, 'README.md'), 'utf8');
/** Below the package, whose name its modules can import. */
const folder = mkdtempSync(join(home, 'test', 'example-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('the example of the API prints what the README says', () => {
  const [, code = ''] = /```ts\n([\s\S]*?)```/.exec(readme) ?? [];
  const [, printed = ''] = /It prints:\n\n```\n([\s\S]*?)```/.exec(readme) ?? [];
  const file = join(folder, 'example.ts');
  writeFileSync(file, code);
  const { stdout, stderr } = spawnSync(process.execPath, [file], { encoding: 'utf8' });
  expect({ stdout, stderr }).toEqual({ stdout: printed, stderr: '' });
});

test('the command prints what the README says', async () => {
  const file = join(folder, 'visits.duckdb');
  await writeVisits(file);
  const examples = [...readme.matchAll(/^ {4}\$ bigquery-sql (.*)\n((?: {4}(?!\$ ).*\n)+)/gm)];
  expect(examples).toHaveLength(4);
  for (const [, line = '', printed = ''] of examples) {
    // As a shell splits them.
    const args = [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
    const { stdout, stderr } = runCommand(args.map((arg) => (arg === 'visits.duckdb' ? file : arg)));
    expect(`${stdout}${stderr}`.replace(/\d+ ms/, '5 ms'), line).toBe(printed.replace(/^ {4}/gm, ''));
  }
  const [, first = ''] = /npx @querygate\/bigquery-sql "([^"]+)"/.exec(readme) ?? [];
  expect(runCommand([first])).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/^f0_\nSTRING\n-{10}\n2026-01-01\n\(1 row; \d+ ms\)\n$/),
  });
});
