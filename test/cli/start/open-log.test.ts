import { spawnSync } from 'node:child_process';
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
