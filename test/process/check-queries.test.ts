import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runQuerygate } from '../support/gateway-process.ts';

test('check reports that the shipped queries are valid', async () => {
  expect(await runQuerygate(['check'])).toEqual({
    exitCode: 0,
    output: '3 saved queries are valid\n',
    errors: '',
  });
});

test('check reports every problem with file and line, and exits with 1', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'querygate-test-'));
  cpSync('queries', folder, { recursive: true });
  const file = join(folder, 'usage.api-counts.sql');
  const text = readFileSync(file, 'utf8').replace(
    "countif(regexp_contains(path, '/auth'))",
    'frobnicate(path)',
  );
  writeFileSync(file, text);
  const line = text.split('\n').findIndex((one) => one.includes('frobnicate')) + 1;

  const { exitCode, errors } = await runQuerygate(['check'], { QUERIES_DIR: folder });
  expect(exitCode).toBe(1);
  expect(errors).toContain(`usage.api-counts.sql:${line}:3 the function FROBNICATE is not supported`);
  rmSync(folder, { recursive: true });
});

test('a wrong command line is reported with what would be right, and exits with 1', async () => {
  const { exitCode, output, errors } = await runQuerygate(['check', '--engin', 'duckdb']);
  expect({ exitCode, output }).toEqual({ exitCode: 1, output: '' });
  expect(errors).toContain("unknown option '--engin'");
  expect(errors).toContain('Did you mean --engine?');
});
