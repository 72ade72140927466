import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const block = (report: string, language: string) =>
  new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(report)?.[1] ?? '';

// A report whose output has changed may be mended in DuckDB: then what avoids the defect here can go.
test.each(globSync('packages/bigquery-sql/conformance/duckdb/*.md'))(
  'the DuckDB of the lockfile still does what %s says',
  (file) => {
    const report = readFileSync(file, 'utf8');
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module'], {
      input: block(report, 'js'),
      encoding: 'utf8',
    });
    expect(stderr).toBe('');
    expect(stdout).toBe(block(report, 'text'));
  },
);
