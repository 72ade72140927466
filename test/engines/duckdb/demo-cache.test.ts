import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openDemoCache } from '../../../src/engines/duckdb/demo/demo-cache.ts';

describe('the store with the rows of the demo', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'querygate-test-'));
    mkdirSync(join(folder, 'sql'));
    writeFileSync(join(folder, 'sql', 'rows.sql'), 'SELECT 1');
    writeFileSync(store(), 'rows');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const cache = () => join(folder, 'user', 'cache');
  const store = () => join(folder, 'store');
  const open = (sql = 'sql') => openDemoCache(cache(), join(folder, sql));
  const kept = () => readdirSync(cache());
  const ageAll = (days: number) => {
    const then = Date.now() / 1000 - days * 86_400;
    for (const name of kept()) utimesSync(join(cache(), name), then, then);
  };
  const restored = (demo = open()) => {
    const file = join(folder, 'restored');
    demo.restore(file);
    const text = readdirSync(folder).includes('restored') ? readFileSync(file, 'utf8') : undefined;
    rmSync(file, { force: true });
    return text;
  };

  test('is copied to the next start', () => {
    expect(restored()).toBeUndefined();
    open().keep(store());
    expect(restored()).toBe('rows');
  });

  test('is kept again when it is some hours old, in place of the former one', () => {
    open().keep(store());
    writeFileSync(store(), 'rows of today');
    open().keep(store());
    expect(restored()).toBe('rows');
    ageAll(1);
    open().keep(store());
    expect(restored()).toBe('rows of today');
    expect(kept()).toHaveLength(1);
  });

  test.each<[string, (file: string) => void]>([
    ['cut', (file) => truncateSync(file, 2)],
    ['empty', (file) => truncateSync(file, 0)],
    ['changed', (file) => writeFileSync(file, 'rowS')],
    ['another one by its name', (file) => cpSync(import.meta.filename, file)],
  ])('is not used if it is %s, and is replaced', (_, damage) => {
    open().keep(store());
    const [name = ''] = kept();
    damage(join(cache(), name));
    const demo = open();
    expect(restored(demo)).toBeUndefined();
    demo.keep(store());
    expect(restored()).toBe('rows');
    expect(kept()).toEqual([name]);
  });

  test('is used only for the same SQL', () => {
    open().keep(store());
    mkdirSync(join(folder, 'other'));
    writeFileSync(join(folder, 'other', 'rows.sql'), 'SELECT 2');
    expect(restored(open('other'))).toBeUndefined();
    open('other').keep(store());
    expect(kept()).toHaveLength(2);
    expect(restored()).toBe('rows');
  });

  test('is removed when nothing has used its SQL for a month', () => {
    open().keep(store());
    ageAll(40);
    mkdirSync(join(folder, 'other'));
    open('other').keep(store());
    expect(kept()).toHaveLength(1);
  });

  test('is not kept where nothing can be written, and the start goes on', () => {
    writeFileSync(join(folder, 'user'), 'a file in place of the folder');
    open().keep(store());
    expect(restored()).toBeUndefined();
  });
});
