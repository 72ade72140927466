import { spawnSync } from 'node:child_process';
import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';

/** What a log of a format writes of a message and an error where standard error is no terminal. */
function linesOf(logFormat: string | undefined): readonly string[] {
  const program = `
    import { openLog } from './src/cli/start/open-log.ts';
    const { log } = openLog({ logLevel: 'info', logFormat: ${JSON.stringify(logFormat)} });
    log.info({ n: 1 }, 'one');
    log.error({ err: new Error('wrong') }, 'two');
  `;
  const { stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    encoding: 'utf8',
  });
  return stderr.trimEnd().split('\n');
}

test('JSON has the numbers of pino where no format is given', () => {
  const [first = '', second = ''] = linesOf(undefined);
  expect(JSON.parse(first)).toMatchObject({ level: 30, n: 1, msg: 'one', time: expect.any(Number) });
  expect(JSON.parse(second)).toMatchObject({ level: 50, err: { message: 'wrong' }, msg: 'two' });
});

test('Google Cloud Logging gets its severities, an ISO time and the message', () => {
  const [first = '', second = ''] = linesOf('gcp');
  expect(JSON.parse(first)).toMatchObject({
    severity: 'INFO',
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    n: 1,
    message: 'one',
  });
  expect(JSON.parse(second)).toMatchObject({ severity: 'ERROR', err: { message: 'wrong' }, message: 'two' });
  expect(first).not.toContain('"level"');
});

test('text for people can be had without a terminal', () => {
  const [first, second] = linesOf('pretty');
  expect(first).toMatch(/^\d\d:\d\d:\d\d\.\d{3} INFO one n=1$/);
  expect(second).toMatch(/^\S+ ERROR two$/);
});

test('lines of any length and script are written whole, in their order', () => {
  const folder = mkdtempSync(join(tmpdir(), 'querygate-test-'));
  const file = join(folder, 'log');
  const counts = [2, 8_000, 1, 2_200, 4_000, 40_000, 3];
  const program = `
    import { openLog } from './src/cli/start/open-log.ts';
    const { writeLine } = openLog({ logLevel: 'info', logFormat: 'json' });
    for (const [at, count] of ${JSON.stringify(counts)}.entries()) writeLine(at + 'aé€😀'.repeat(count) + '\\n');
  `;
  const { status } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'ignore', openSync(file, 'w')],
  });
  expect(status).toBe(0);
  const expected = counts.map((count, at) => `${at}${'aé€😀'.repeat(count)}\n`);
  // A message with both texts would be of megabytes.
  expect(readFileSync(file, 'utf8') === expected.join('')).toBe(true);
  rmSync(folder, { recursive: true });
});
