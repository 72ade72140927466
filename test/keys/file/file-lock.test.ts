import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { lockFile } from '../../../src/keys/file/file-lock.ts';

describe('the lock of a key file', () => {
  let folder: string;
  let file: string;
  let lock: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'querygate-test-'));
    file = join(folder, 'keys.yaml');
    lock = `${file}.lock`;
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  test('names the process that holds it, and is waited for', async () => {
    const release = await lockFile(file);
    expect(readFileSync(lock, 'utf8')).toBe(`${process.pid} on ${hostname()}\n`);
    const order: string[] = [];
    const second = lockFile(file).then((releaseSecond) => {
      order.push('taken again');
      releaseSecond();
    });
    await new Promise((resolve) => setTimeout(resolve, 100));
    order.push('given back');
    release();
    await second;
    expect(order).toEqual(['given back', 'taken again']);
    expect(existsSync(lock)).toBe(false);
  });

  test('of a process that runs is not to be removed', async () => {
    const release = await lockFile(file);
    await expect(lockFile(file, 0)).rejects.toThrow(
      `process ${process.pid} on ${hostname()}, which runs, holds ${lock}; wait for it; remove the lock only if`,
    );
    release();
  });

  test('of a process that is gone is told at once', async () => {
    const { pid } = spawnSync('true');
    writeFileSync(lock, `${pid} on ${hostname()}\n`);
    await expect(lockFile(file)).rejects.toThrow(
      `process ${pid} on ${hostname()}, which is gone, holds ${lock}; it was killed: remove the lock`,
    );
    expect(existsSync(lock)).toBe(true);
  });

  test.each([
    ['1 on another-host', 'process 1 on another-host, which cannot be seen from here, holds'],
    ['', 'nobody knows who holds'],
  ])('that says %j is not taken for one of a dead process', async (text, told) => {
    writeFileSync(lock, text);
    await expect(lockFile(file, 0)).rejects.toThrow(told);
  });
});
