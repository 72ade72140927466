import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openCommandHost } from '../support/command-host.ts';

describe('querygate costs', () => {
  const querygate = openCommandHost();
  const today = new Date().toISOString().slice(0, 10);
  let folder: string;
  let file: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'querygate-test-'));
    file = join(folder, 'accounts.json');
    const accounts = [
      [today, 'i', 'k1', 'a,"b"\u001b', 'one', 1, 100, 5],
      [today, 'j', 'k1', 'a,"b"\u001b', 'one', 2, 200, 5],
      [today, 'i', 'k2', '=1+1', 'two', 3, 10, 1],
      ['2001-01-01', 'i', 'k2', 'old', 'two', 3, 9_999_999, 1],
    ];
    writeFileSync(file, JSON.stringify({ accounts, count: accounts.length }));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const costs = (args: readonly string[], env: Record<string, string> = { ACCOUNTS_FILE: file }) =>
    querygate(['costs', ...args], env);

  test('sums rows, the largest first', async () => {
    const { exitCode, output } = await costs(['--by', 'key,endpoint', '--format', 'csv']);
    expect(output).toBe('key,endpoint,runs,bytes_billed,slot_ms\r\nk1,one,3,300,10\r\nk2,two,3,10,1\r\n');
    expect(exitCode).toBe(0);
  });

  test('a table has names that callers chose without their control characters', async () => {
    const { output } = await costs(['--by', 'tenant']);
    expect(output.split('\n')).toEqual([
      'tenant  runs  bytes_billed  slot_ms',
      'a,"b"?  3     300           10',
      '=1+1    3     10            1',
      '',
    ]);
  });

  test('CSV has them as texts, and no formula', async () => {
    const { output } = await costs(['--by', 'tenant', '--format', 'csv']);
    expect(output).toContain('"a,""b""\u001b",3,300,10\r\n"\'=1+1",3,10,1\r\n');
  });

  test('JSON has numbers', async () => {
    const { output } = await costs(['--by', 'day', '--format', 'json']);
    expect(JSON.parse(output)).toEqual([{ day: today, runs: 6, bytes_billed: 310, slot_ms: 11 }]);
  });

  test.each([
    [
      ['--by', 'key,endpont'],
      '--by: got "endpont"; must be of day, key, tenant, endpoint; did you mean endpoint?',
    ],
    [['--by', 'key, key'], '--by: got "key" twice; name each once'],
    [['--days', '0'], '--days: got "0"; must be a whole number from 1'],
    [['--days', '101'], '--days: got 101; accounts are kept for 100 days'],
    [['--format', 'xml'], "option '--format <name>' argument 'xml' is invalid"],
  ])('%j is refused', async (args, message) => {
    const { exitCode, errors } = await costs(args);
    expect(errors).toContain(message);
    expect(exitCode).toBe(1);
  });

  test('without a file, or a folder of it, it says so', async () => {
    for (const [path, missing] of [
      ['accounts.jsn', 'file'],
      ['missing/accounts.json', 'folder'],
    ] as const) {
      const { exitCode, output, errors } = await costs([], { ACCOUNTS_FILE: join(folder, path) });
      expect(errors).toContain(`${path} cannot be read (ENOENT): there is no ${missing}`);
      expect([exitCode, output]).toEqual([1, '']);
    }
  });

  test('without a place of accounts, with a damaged file, or a Redis that is away, it says so', async () => {
    const damaged = join(folder, 'damaged.json');
    writeFileSync(damaged, '{"accounts": [');
    const of = async (env: Record<string, string>) => (await costs([], env)).errors;
    expect(await of({})).toContain('CACHE_URL or ACCOUNTS_FILE: is missing');
    expect(await of({ ACCOUNTS_FILE: damaged })).toContain('is damaged');
    expect(await of({ CACHE_URL: 'redis://127.0.0.1:9' })).toContain(
      'CACHE_URL: the Redis cannot be reached',
    );
  });
});
