import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runQuerygate, startGateway } from '../support/gateway-process.ts';
import { atNight } from '../support/nightly.ts';
import { queryText } from '../support/queries.ts';

const key = 'a-key-of-twenty-characters';

describe('a start in production', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'querygate-test-'));
    mkdirSync(join(folder, 'data'));
    symlinkSync('loop', join(folder, 'loop'));
    writeFileSync(join(folder, 'one.sql'), queryText({ columns: { x: 'integer' }, sql: 'select 1 as x' }));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const production = () => ({
    NODE_ENV: 'production',
    QUERIES_DIR: folder,
    SHUTDOWN_DELAY_SECONDS: '0',
    PORT: '0',
  });

  test('without data and without a key is refused, and says what is missing and what is nearly a setting', async () => {
    const { exitCode, output, errors } = await runQuerygate(['start'], { ...production(), DATADIR: folder });
    expect(exitCode).toBe(2);
    expect(errors).toContain('DATA_DIR: is missing');
    expect(errors).toContain('API_KEY: is missing');
    expect(errors).toContain('DATADIR is not a setting; did you mean DATA_DIR?');
    expect(output + errors).not.toMatch(/qg_\w/);
  });

  test.each<[string, string]>([
    ...atNight<[string, string]>(['loop', 'ELOOP'], ['one.sql', 'ENOTDIR']),
    ['dataa', 'ENOENT'],
  ])('with data that cannot be read is refused with the path and the reason: %s', async (name, code) => {
    const DATA_DIR = join(folder, name);
    const { exitCode, errors } = await runQuerygate(['start'], { ...production(), API_KEY: key, DATA_DIR });
    expect(exitCode).toBe(2);
    expect(errors).toMatch(/The data cannot be read:\n {2}DATA_DIR: got /);
    expect(errors).toContain(`${DATA_DIR}", which cannot be read (${code}): `);
    expect(errors.includes('did you mean data?')).toBe(name === 'dataa');
  });

  test.each(['a folder', ...atNight(':demo:')])(
    'needs nothing but a key and %s as DATA_DIR',
    async (data) => {
      const DATA_DIR = data === ':demo:' ? data : folder;
      const gateway = await startGateway({ ...production(), API_KEY: key, DATA_DIR, APIKEY: 'x' });
      const headers = { 'x-api-key': key };
      const metrics = await (await fetch(`${gateway.origin}/metrics`, { headers })).text();
      await gateway.end();
      expect(metrics).toContain('querygate_misspelt_settings 1');
      expect(gateway.log()).toContain('APIKEY is not a setting; did you mean API_KEY?');
      expect(gateway.banner + gateway.log()).not.toContain(key);
    },
  );

  test('with --demo is that of the demo', async () => {
    const { exitCode, errors } = await runQuerygate(['start', '--demo'], production());
    expect(exitCode).toBe(2);
    expect(errors).not.toContain('DATA_DIR');
    expect(errors).toContain('API_KEY: is missing');
  });

  test.each(['0.0.0.0', ...atNight('::', '192.0.2.1', 'gateway.internal')])(
    'without a key is refused where others reach HOST=%s, whatever NODE_ENV is',
    async (HOST) => {
      const env = { QUERIES_DIR: folder, PORT: '0', HOST };
      const { exitCode, output, errors } = await runQuerygate(['start'], env);
      expect(exitCode).toBe(2);
      expect(errors).toContain(
        'API_KEY: is missing; where HOST can be reached from other machines no key is made at start',
      );
      expect(errors).not.toContain('DATA_DIR');
      expect(output + errors).not.toMatch(/qg_\w/);
    },
  );

  test.each(['127.0.0.1', ...atNight('localhost')])(
    'on this machine alone, HOST=%s, a key is made',
    async (HOST) => {
      const gateway = await startGateway({ QUERIES_DIR: folder, HOST });
      await gateway.end();
      expect(gateway.banner).toMatch(/qg_\w/);
    },
  );

  test('the same port for the API and metrics is refused at once', async () => {
    const { exitCode, errors } = await runQuerygate(['start'], {
      ...production(),
      API_KEY: key,
      DATA_DIR: folder,
      PORT: '4555',
      METRICS_PORT: '4555',
    });
    expect(exitCode).toBe(2);
    expect(errors).toContain('METRICS_PORT: got 4555; PORT is the same, and must be another one');
  });
});
