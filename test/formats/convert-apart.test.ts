import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { convertApart } from '../../src/formats/parquet/convert-apart.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'querygate-convert-'));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

const statement = (file: string) => `COPY (SELECT 1 AS n) TO '${file}' (FORMAT parquet)`;

test('what a process has compiled is kept for the next one', async () => {
  const cache = join(folder, 'compiled');
  vi.stubEnv('NODE_COMPILE_CACHE', cache);
  await convertApart({ statement: statement(join(folder, 'one.parquet')), folder });
  const kept = readdirSync(cache, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  expect(kept).not.toHaveLength(0);
});
