import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect } from 'vitest';
import { nightly } from '../../../test/support/nightly.ts';

nightly('the example of the README imports a folder', () => {
  const readme = readFileSync(join(import.meta.dirname, '../README.md'), 'utf8');
  const [, example = ''] = /```ts\n([\s\S]*?)```/.exec(readme) ?? [];
  const folder = mkdtempSync(join(tmpdir(), 'import-'));
  try {
    symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
    mkdirSync(join(folder, 'data'));
    writeFileSync(join(folder, 'data', 'visits.ndjson'), '{"page":"/"}\n{"page":7}\n{"page":"/a"}\n{}\n');
    writeFileSync(join(folder, 'example.ts'), example);
    const run = () =>
      execFileSync(process.execPath, ['example.ts'], { cwd: folder, stdio: 'pipe' }).toString();
    expect(run()).toBe('3 rows, 1 rejected\n');
    expect(run()).toBe('0 rows, 0 rejected\n');
  } finally {
    rmSync(folder, { recursive: true });
  }
});
