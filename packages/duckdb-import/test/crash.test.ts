import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { isNightly } from '../../../test/support/nightly.ts';
import { idsBetween, lines } from './import-folder.ts';

/** After these numbers of batches: at the beginning, between files, and at the end. */
const kills = isNightly ? [0, 1, 3, 5, 7, 9, 11, 12, 14, 15] : [11];

const script = new URL('./import-until-killed.ts', import.meta.url).pathname;

test(`killed ${kills.length} times during an import, then finished: every row is stored once`, async () => {
  const root = mkdtempSync(join(tmpdir(), 'crash-'));
  const data = join(root, 'data', 'logs');
  mkdirSync(data, { recursive: true });
  const rows = (from: number, to: number) =>
    idsBetween(from, to)
      .map((id) => (id % 1000 === 7 ? 'not JSON\n' : lines(id)))
      .join('');
  writeFileSync(join(data, 'a.ndjson'), rows(0, 40_000));
  writeFileSync(join(data, 'b.ndjson.gz'), gzipSync(rows(40_000, 60_000)));
  writeFileSync(join(data, 'c.csv'), `id\n${idsBetween(60_000, 70_000).join('\n')}\n`);
  for (const id of idsBetween(0, 100)) writeFileSync(join(data, `small-${id}.ndjson`), lines(70_000 + id));

  /** Runs the import, and kills it shortly after this number of batches. */
  const run = (batches: number, delayMs: number) =>
    new Promise<string>((resolve, reject) => {
      const paths = ['store.db', 'data', 'scratch'].map((name) => join(root, name));
      const args = [script, ...paths, String(batches), String(delayMs)];
      const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
      let out = '';
      child.stdout.on('data', (chunk) => {
        out += chunk;
      });
      child.on('error', reject);
      child.on('close', () => resolve(out));
    });

  for (const [at, batches] of kills.entries())
    expect(await run(batches, (4 * at) % 15), `${batches} batches`).not.toContain('done');
  expect(await run(Number.POSITIVE_INFINITY, 0)).toMatch(/done 70040 70040 60 70040\n$/);
  rmSync(root, { recursive: true });
});
