import fs, { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { watchPath } from '../../src/files/watch-path.ts';

let root: string;
let folder: string;
let end = () => {};
const changed: (string | null)[] = [];
const warnings: string[] = [];

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'querygate-test-'));
  folder = join(root, 'queries');
  changed.length = 0;
  warnings.length = 0;
});
afterEach(() => {
  end();
  vi.restoreAllMocks();
  syncBuiltinESMExports();
  rmSync(root, { recursive: true });
});

const start = ({ recursive = true } = {}) => {
  end = watchPath(folder, {
    recursive,
    onChange: (name) => changed.push(name),
    warn: (message) => warnings.push(message),
  });
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

const watched = () => {
  const spy = vi.spyOn(fs, 'watch');
  syncBuiltinESMExports();
  return spy;
};
const shortage = (code: string) => Object.assign(new Error('short'), { code });

test('a limit of watches is reported once, without a change, until there are watches again', async () => {
  mkdirSync(folder);
  const watch = watched();
  const refuse = () => {
    throw shortage('ENOSPC');
  };
  watch.mockImplementationOnce(refuse).mockImplementationOnce(refuse);
  start({ recursive: false });
  await vi.waitFor(() => expect(watch).toHaveBeenCalledTimes(3), { timeout: 4_000 });
  writeFileSync(join(folder, 'q.sql'), '');
  await until('q.sql');
  expect(changed).not.toContain(null);
  expect(warnings).toEqual([`changes of ${folder} may be missed: it cannot be watched (ENOSPC)`]);
});

test('a folder whose watch fails is watched again', async () => {
  mkdirSync(folder);
  const watch = watched();
  start({ recursive: false });
  watch.mock.results[0]?.value.emit('error', shortage('EMFILE'));
  await vi.waitFor(() => expect(watch).toHaveBeenCalledTimes(2), { timeout: 4_000 });
  writeFileSync(join(folder, 'q.sql'), '');
  await until('q.sql');
  expect(warnings).toHaveLength(1);
});
