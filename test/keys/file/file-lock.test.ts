import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
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

  test('names the process that has it; other commands wait for it', async () => {
    const release = await lockFile(file);
    expect(readFileSync(lock, 'utf8')).toBe(`${process.pid} on ${hostname()}\n`);
    const order: string[] = [];
    const second = lockFile(file).then((releaseSecond) => {
      order.push('acquired again');
      releaseSecond();
    });
    await sleep(100);
    order.push('released');
    release();
    await second;
    expect(order).toEqual(['released', 'acquired again']);
    expect(existsSync(lock)).toBe(false);
  });

  test('of a running process must not be removed', async () => {
    const release = await lockFile(file);
    await expect(lockFile(file, 0)).rejects.toThrow(
      `${lock} is held by process ${process.pid} on ${hostname()}, which is running; wait for it, or remove the lock if that process is not`,
    );
    release();
  });

  test('of a dead process is reported at once', async () => {
    const { pid } = spawnSync('true');
    writeFileSync(lock, `${pid} on ${hostname()}\n`);
    await expect(lockFile(file)).rejects.toThrow(
      `${lock} is held by process ${pid} on ${hostname()}, which was killed; remove the lock`,
    );
    expect(existsSync(lock)).toBe(true);
  });

  test.each([
    [
      '1 on another-host',
      'is held by process 1 on another-host, which is on another host; remove the lock only if',
    ],
    ['', 'is held by an unknown process'],
  ])('with the text %j is not reported as one of a dead process', async (text, message) => {
    writeFileSync(lock, text);
    await expect(lockFile(file, 0)).rejects.toThrow(message);
  });
});
