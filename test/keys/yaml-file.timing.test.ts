import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { loadCatalog } from '../../src/catalog/folder/load-catalog.ts';
import { digestOf, makeKey } from '../../src/keys/key-text.ts';
import { openKeys } from '../../src/keys/open-keys.ts';
import { newLocalRateLimit } from '../../src/keys/rates/rate-limiter.ts';
import { eventually } from '../support/eventually.ts';
import { measureLongestTurn } from '../support/longest-turn.ts';
import { medianOf } from '../support/median.ts';

test('keys in a YAML file of ten thousand are read without stopping the event loop', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'querygate-test-'));
  const file = join(folder, 'keys.yaml');
  const lineOf = ({ id, text }: ReturnType<typeof makeKey>) =>
    // Quoted: an id of digits would be a number.
    `  - id: '${id}'\n    name: '${id}'\n    sha256: '${digestOf(text).toString('hex')}'\n    tenants: ['${id}']\n`;
  const fileOf = (lines: readonly string[]) => `keys:\n${lines.join('')}count: ${lines.length}\n`;
  const others = Array.from({ length: 9_999 }, () => lineOf(makeKey()));
  writeFileSync(file, fileOf(others.slice(0, 1)));
  const keys = openKeys({
    file,
    apiKey: undefined,
    catalog: loadCatalog('queries'),
    hideEndpoints: 'tenants',
    acceptsCutFile: true,
    newRateLimit: newLocalRateLimit,
    log: pino({ level: 'silent' }),
    now: () => new Date(),
  });
  keys.watch();
  const longestMs = await medianOf(async () => {
    const one = makeKey();
    const end = measureLongestTurn();
    writeFileSync(file, fileOf([...others, lineOf(one)]));
    await eventually(() => expect(keys.keyring.find(one.text)).toBeDefined());
    return end();
  }, 3);
  await keys.close();
  rmSync(folder, { recursive: true });
  // Parsing takes more than a second; what remains here is to put the keys in place.
  expect(longestMs).toBeLessThan(500);
});
