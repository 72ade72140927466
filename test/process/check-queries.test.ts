import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runCommand } from '../support/gateway-process.ts';

const command = 'src/cli/check-queries.ts';

test('check-queries reports that the shipped queries are valid', async () => {
  expect(await runCommand(command, {})).toEqual({
    exitCode: 0,
    output: '3 saved queries are valid\n',
    errors: '',
  });
});

test('check-queries reports every problem with file and line, and exits with 1', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'querygate-test-'));
  cpSync('queries', folder, { recursive: true });
  const file = join(folder, 'usage.api-counts.sql');
  const text = readFileSync(file, 'utf8').replace(
    "countif(regexp_contains(path, '/auth'))",
    'frobnicate(path)',
  );
  writeFileSync(file, text);
  const line = text.split('\n').findIndex((one) => one.includes('frobnicate')) + 1;

  const { exitCode, errors } = await runCommand(command, { QUERIES_DIR: folder });
  expect(exitCode).toBe(1);
  expect(errors).toContain(`usage.api-counts.sql:${line}:3 the function FROBNICATE is not supported`);
  rmSync(folder, { recursive: true });
});

test('check-queries --help prints the usage, and so does a wrong command line', async () => {
  const help = await runCommand(command, {}, ['--help']);
  expect(help).toMatchObject({ exitCode: 0, errors: '' });
  expect(help.output).toMatch(/^npm run check-queries -- \[--engine /);

  const { exitCode, output, errors } = await runCommand(command, {}, ['--engin', 'duckdb']);
  expect({ exitCode, output }).toEqual({ exitCode: 1, output: '' });
  expect(errors).toContain("Unknown option '--engin'");
  expect(errors).toContain(help.output);
});
