import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type GatewayProcess, startGateway } from '../../support/gateway-process.ts';
import { type KeyFile, writeKeyFile } from '../../support/key-files.ts';
import { isNightly } from '../../support/nightly.ts';
import { type DemoGateway, logflareRows, type Row } from './logflare-rows.ts';

const settings = { strict: {}, compat: { COMPAT: 'logflare' } } as const;

type Mode = keyof typeof settings;

describe.each(['strict', 'compat'] as const)('what clients of a Logflare endpoint rely on, %s', (mode) => {
  let file: KeyFile;
  let child: GatewayProcess;
  let gateway: DemoGateway;
  beforeAll(async () => {
    file = writeKeyFile({ all: {}, narrow: { endpoints: ['logs.all'] } });
    const env = settings[mode];
    child = await startGateway({ ...env, API_KEYS_FILE: file.path });
    gateway = { origin: child.origin, env, key: file.keyOf('all'), narrowKey: file.keyOf('narrow') };
  });
  afterAll(async () => {
    await child?.end();
    file?.remove();
  });

  test.each(
    logflareRows
      .map((row, at) => [at + 1, row.expects, row] as const)
      // By day once, if the setting changes nothing.
      .filter(
        ([, , row]) => isNightly || mode === 'compat' || outcome(row, 'strict') !== outcome(row, 'compat'),
      ),
  )('%i. %s', async (_, __, row) => {
    expect(await row.check(gateway)).toBe(outcome(row, mode) === 'holds');
  });
});

describe('the rows in docs/logflare.md', () => {
  test('has 59 rows, of which at least 50 hold with COMPAT=logflare', () => {
    const held = (mode: Mode) => logflareRows.filter((row) => outcome(row, mode) === 'holds').length;
    const sentence = `Of ${logflareRows.length} rows, ${held('strict')} hold without the setting, and ${held('compat')} with it.`;
    expect(readFileSync('docs/logflare.md', 'utf8').replaceAll('\n', ' ')).toContain(sentence);
    expect(logflareRows).toHaveLength(59);
    expect(held('compat')).toBeGreaterThanOrEqual(50);
  });
});

function outcome(row: Row, mode: Mode): string {
  const reason = row[mode];
  return reason === undefined ? 'holds' : `differs: ${reason}`;
}
