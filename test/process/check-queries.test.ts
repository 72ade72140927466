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

test('check names the nearest tables, columns, fields, functions and keys, as text, JSON and annotations', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'querygate-test-'));
  cpSync('queries', folder, { recursive: true });
  const header = `/*---
id: 8d5a1f0e-6c3b-4f7e-9a52-1b7c0e4d2f62
description: x
max_rows: 10
caching: disabled
columns:
  a: { type: string, description: x }
---*/
`;
  const sql = `select countiff(true) as a
from edge_log as t, edge_logs as u, unnest(u.metadata) as m, unnest(m.response) as r
where u.prject = 'x' and r.statuscode = 1
`;
  writeFileSync(join(folder, 'a.sql'), header + sql);
  const env = { QUERIES_DIR: folder };
  const { errors } = await runQuerygate(['check'], env);
  expect(errors).toContain('a.sql:9:8 the function COUNTIFF is not supported; did you mean COUNTIF?');
  expect(errors).toContain(
    'a.sql:10:6 no table is named edge_log; did you mean edge_logs?\n  10 | from edge_log as t,',
  );
  expect(errors).toContain('a.sql:11:9 no column is named prject; did you mean project?');
  expect(errors).toContain('a.sql:11:28 no field is named statuscode; did you mean status_code?');

  const json = await runQuerygate(['check', '--json'], env);
  const document = JSON.parse(json.output) as { valid: boolean; problems: readonly object[] };
  expect(document.valid).toBe(false);
  expect(document.problems).toContainEqual({
    file: join(folder, 'a.sql'),
    line: 10,
    column: 6,
    message: 'no table is named edge_log; did you mean edge_logs?',
  });
  const github = await runQuerygate(['check', '--github'], env);
  expect(github.exitCode).toBe(1);
  expect(github.output).toContain(',line=10,col=6,title=querygate check::no table is named edge_log;');

  writeFileSync(join(folder, 'a.sql'), header.replace('caching', 'cachng') + sql);
  expect((await runQuerygate(['check'], env)).errors).toContain(
    'a.sql:5 unknown: cachng; did you mean caching?\n  5 | cachng: disabled\n    | ^^^^^^\n',
  );
  rmSync(folder, { recursive: true });
});
