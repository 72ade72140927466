import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { watchPath } from '../../src/files/watch-path.ts';

let root: string;
let folder: string;
let end = () => {};
const changed: (string | null)[] = [];

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'querygate-test-'));
  folder = join(root, 'queries');
  changed.length = 0;
});
afterEach(() => {
  end();
  rmSync(root, { recursive: true });
});

const start = () => {
  end = watchPath(folder, { recursive: true, onChange: (name) => changed.push(name) });
};
const until = (name: string | null) => vi.waitFor(() => expect(changed).toContain(name), { timeout: 4_000 });

test('a folder that replaces another one is followed', async () => {
  mkdirSync(folder);
  start();
  renameSync(folder, join(root, 'old'));
  mkdirSync(folder);
  await until(null);
  writeFileSync(join(folder, 'q.sql'), '');
  await until('q.sql');
});

test('a folder that comes later is followed, and again after it was removed', async () => {
  start();
  for (const name of ['a.sql', 'b.sql']) {
    mkdirSync(folder);
    await until(null);
    writeFileSync(join(folder, name), '');
    await until(name);
    rmSync(folder, { recursive: true });
    changed.length = 0;
  }
});
