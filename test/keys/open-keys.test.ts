import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { loadCatalog } from '../../src/catalog/folder/load-catalog.ts';
import type { KeyInput } from '../../src/keys/file/key-schema.ts';
import { lastUsedFile, loadLastUsed } from '../../src/keys/file/last-used.ts';
import { digestOf, makeKey } from '../../src/keys/key-text.ts';
import { type Keys, openKeys } from '../../src/keys/open-keys.ts';
import { newLocalRateLimit } from '../../src/keys/rates/rate-limiter.ts';
import { eventually } from '../support/eventually.ts';

const catalog = loadCatalog('queries');

describe('the keys of a gateway', () => {
  let folder: string;
  let file: string;
  let keys: Keys | undefined;
  let logged: string[];
  let now: Date;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'querygate-test-'));
    file = join(folder, 'keys.json');
    logged = [];
    now = new Date('2026-03-10T12:00:00Z');
  });
  afterEach(async () => {
    await keys?.close();
    rmSync(folder, { recursive: true });
  });

  const a = makeKey();
  const b = makeKey();
  const entry = ({ id, text }: typeof a, more: Partial<KeyInput> = {}): KeyInput => ({
    id,
    name: id,
    sha256: digestOf(text).toString('hex'),
    ...more,
  });
  const textOf = (...entries: KeyInput[]) => JSON.stringify({ keys: entries }, null, 2);
  const open = (apiKey?: string, acceptsCutFile = true) => {
    const log = pino({ base: null }, { write: (line: string) => void logged.push(line) });
    keys = openKeys({
      file,
      apiKey,
      catalog,
      hideEndpoints: 'tenants',
      acceptsCutFile,
      newRateLimit: newLocalRateLimit,
      log,
      now: () => now,
    });
    keys.watch();
    return keys.keyring;
  };
  const until = (condition: () => boolean) => eventually(() => expect(condition()).toBe(true));

  test('are not accepted from a file that may have been cut, where others can reach the gateway', () => {
    const { id, sha256 } = entry(a);
    const cut = `keys:\n  - id: '${id}'\n    name: a\n    sha256: ${sha256}\n`;
    writeFileSync(file, cut);
    expect(() => open(undefined, false)).toThrow('write "count: 1" as its last line');
    // Of a file with other problems the number of keys is not known.
    for (const broken of [cut.replace('  - ', '\t- '), cut.replace('name: a', 'nam: a')]) {
      writeFileSync(file, broken);
      expect(() => open(undefined, false)).toThrow('The key file has problems');
      expect(() => open(undefined, false)).not.toThrow('count');
    }
    writeFileSync(file, `${cut}    tenants: [abc]\ncount: 1\n`);
    expect(open(undefined, false).find(a.text)).toMatchObject({ tenants: new Set(['abc']) });
  });

  test('admit a caller with a valid key, and no other', () => {
    writeFileSync(
      file,
      textOf(entry(a, { tenants: ['abc'], permissions: ['fresh'] }), entry(b, { revoked: '2026-01-01' })),
    );
    const keyring = open('api-key');
    expect(keyring.find(a.text)).toMatchObject({
      id: a.id,
      tenants: new Set(['abc']),
      permissions: new Set(['fresh']),
    });
    expect(keyring.find('api-key')).toMatchObject({ id: 'API_KEY', tenants: undefined });
    // The right id with another secret, whose checksum is right too.
    const forged = Array.from({ length: 3 }, () => makeKey()).map(({ id, text }) => text.replace(id, a.id));
    for (const wrong of [undefined, '', 'api-ke', b.text, makeKey().text, `${a.text}x`, a.id, ...forged]) {
      expect(keyring.find(wrong)).toBeUndefined();
    }
  });

  test('expire on time', () => {
    writeFileSync(file, textOf(entry(a, { expires: '2026-03-10T13:00:00Z' })));
    const keyring = open();
    now = new Date('2026-03-10T12:59:59.999Z');
    expect(keyring.find(a.text)?.id).toBe(a.id);
    now = new Date('2026-03-10T13:00:00Z');
    expect(keyring.find(a.text)).toBeUndefined();
  });

  test('follow the file: written in place, replaced, and by a link whose target is replaced', async () => {
    writeFileSync(file, textOf(entry(a)));
    const keyring = open();
    expect(keyring.find(a.text)?.id).toBe(a.id);
    writeFileSync(file, textOf(entry(a, { revoked: '2026-01-01' })));
    await until(() => keyring.find(a.text) === undefined);

    writeFileSync(join(folder, 'next'), textOf(entry(a, { revoked: 'never' })));
    renameSync(join(folder, 'next'), file);
    await until(() => keyring.find(a.text) !== undefined);

    // As Kubernetes mounts a ConfigMap.
    for (const [name, text] of Object.entries({ one: textOf(entry(b)), two: textOf(entry(a)) })) {
      mkdirSync(join(folder, name));
      writeFileSync(join(folder, name, 'keys.json'), text);
    }
    symlinkSync('one', join(folder, 'data'));
    symlinkSync(join('data', 'keys.json'), join(folder, 'link'));
    renameSync(join(folder, 'link'), file);
    await until(() => keyring.find(a.text) === undefined && keyring.find(b.text) !== undefined);
    symlinkSync('two', join(folder, 'data.next'));
    renameSync(join(folder, 'data.next'), join(folder, 'data'));
    await until(() => keyring.find(a.text) !== undefined && keyring.find(b.text) === undefined);
  });

  test('stay valid when the file becomes invalid or disappears, which is logged once', async () => {
    writeFileSync(file, textOf(entry(a)));
    const keyring = open();
    const logCount = (text: string) => logged.filter((line) => line.includes(text)).length;
    writeFileSync(file, textOf(entry(a, { revoked: 'soon' }), entry(b)));
    await until(() => logCount('the key file has problems') === 1);
    expect(logged.join()).toContain('keys.json:7 keys.0.revoked: must be an ISO 8601 timestamp');
    unlinkSync(file);
    await until(() => logCount('the key file cannot be read') === 1);
    await sleep(1_000);
    expect(keyring.find(a.text)?.id).toBe(a.id);
    expect(keyring.find(b.text)).toBeUndefined();
    expect([logCount('has problems'), logCount('cannot be read')]).toEqual([1, 1]);

    writeFileSync(file, textOf(entry(b)));
    await until(() => keyring.find(b.text) !== undefined);
    expect(keyring.find(a.text)).toBeUndefined();
    expect(logged.join()).not.toContain(digestOf(a.text).toString('hex'));
  });

  test('that change twice within one tick of the clock, to texts of equal length, are reloaded', async () => {
    writeFileSync(file, textOf(entry(a)));
    const keyring = open();
    const texts = [textOf(entry(a)), textOf(entry(b))];
    for (let round = 0; round < 50; round += 1) writeFileSync(file, texts[round % 2] ?? '');
    await until(() => keyring.find(b.text) !== undefined && keyring.find(a.text) === undefined);
  });

  test('keep the state of their rate limit when the file is reloaded', async () => {
    const rate = { requests_per_minute: 2, concurrent_queries: 1 };
    writeFileSync(file, textOf(entry(a, { rate })));
    const keyring = open();
    const first = keyring.find(a.text);
    first?.rateLimiter?.take(now.getTime());
    writeFileSync(file, textOf(entry(a, { rate }), entry(b)));
    await until(() => keyring.find(b.text) !== undefined);
    const second = keyring.find(a.text);
    expect(second).not.toBe(first);
    expect(second?.concurrencyLimiter).toBe(first?.concurrencyLimiter);
    expect(second?.rateLimiter?.take(now.getTime())).toMatchObject({ isWithin: true, remaining: 0 });
  });

  test('with an unknown endpoint prevent the start; after the start they are logged', async () => {
    const wrong = entry(a, { endpoints: ['logs.all', 'logs.al'] });
    const line =
      textOf(wrong)
        .split('\n')
        .findIndex((one) => one.includes('"logs.al"')) + 1;
    const message = `keys.json:${line} keys.0.endpoints: no saved query has the name or UUID logs.al`;
    writeFileSync(file, textOf(wrong));
    expect(() => open()).toThrow(message);
    writeFileSync(file, textOf({ ...wrong, revoked: '2026-01-01' }));
    const keyring = open();
    writeFileSync(file, readFileSync(file, 'utf8').replace(/"revoked": "[^"]*"/, '"revoked": "never"'));
    await until(() => keyring.find(a.text) !== undefined);
    expect(logged.join()).toContain(message);
  });

  test('in a file that is being written are not read: half of it is refused, and what a key loses by it', async () => {
    file = join(folder, 'keys.yaml');
    const yaml = (...entries: KeyInput[]) =>
      `keys:\n${entries.map((one) => `  - ${JSON.stringify(one)}\n`).join('')}count: ${entries.length}\n`;
    writeFileSync(file, yaml(entry(a, { tenants: ['abc'] })));
    const keyring = open();
    writeFileSync(file, yaml(entry(a, { tenants: ['abc'] }), entry(b)).replace(/count.*/, ''));
    await until(() => logged.join().includes('the key file is refused'));
    expect(logged.join()).toContain('must end with the number of its keys');
    expect(keyring.find(b.text)).toBeUndefined();

    logged = [];
    writeFileSync(file, yaml(entry(a), entry(b)));
    await until(() => logged.join().includes('the key file is refused'));
    expect(logged.join()).toContain(`key ${a.id} would lose its bound because tenants is absent`);
    expect(keyring.find(a.text)?.tenants).toEqual(new Set(['abc']));
    expect(keyring.find(b.text)).toBeUndefined();

    logged = [];
    writeFileSync(file, yaml(entry(a, { tenants: 'all' }), entry(b)));
    await until(() => keyring.find(b.text) !== undefined);
    expect(keyring.find(a.text)?.tenants).toBeUndefined();
    await until(() => logged.join().includes('key file loaded'));
    const changes = logged.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'key changed');
    expect(changes).toMatchObject([
      { key: a.id, change: 'changed', fields: ['tenants'] },
      { key: b.id, change: 'added' },
    ]);
    for (const secret of [a.text, b.text])
      expect(logged.join()).not.toContain(digestOf(secret).toString('hex'));
  });

  test('in a file that changes at every look are not read before it comes to rest', async () => {
    writeFileSync(file, textOf(entry(a)));
    const keyring = open();
    const endsAt = Date.now() + 1_500;
    for (let change = 0; Date.now() < endsAt; change += 1) {
      writeFileSync(file, `${textOf(entry(b))}${' '.repeat(change % 1000)}`);
      await new Promise(setImmediate);
    }
    expect(keyring.find(b.text)).toBeUndefined();
    await until(() => keyring.find(b.text) !== undefined);
  });

  test('are recorded beside the file with the time of their last use', async () => {
    writeFileSync(file, textOf(entry(a), entry(b)));
    writeFileSync(
      lastUsedFile(file),
      JSON.stringify({ [b.id]: '2026-03-10T11:00:00Z', gonegone: '2026-01-01' }),
    );
    const keyring = open();
    expect(keyring.find(a.text)?.id).toBe(a.id);
    await until(() => loadLastUsed(file)?.has(a.id) === true);
    expect(loadLastUsed(file)).toEqual(
      new Map([
        [a.id, now],
        [b.id, new Date('2026-03-10T11:00:00Z')],
      ]),
    );
    expect(statSync(lastUsedFile(file)).mode & 0o777).toBe(0o600);
    now = new Date('2026-03-10T12:00:30Z');
    expect(keyring.find(b.text)?.id).toBe(b.id);
    // Not before a minute has passed, or at the end.
    await sleep(2_500);
    expect(loadLastUsed(file)?.get(b.id)).toEqual(new Date('2026-03-10T11:00:00Z'));
    await keys?.close();
    expect(loadLastUsed(file)?.get(b.id)).toEqual(now);
    expect(readdirSync(folder).sort()).toEqual(['keys.json', 'keys.json.last-used.json']);
  });

  test('may be bound to addresses', () => {
    writeFileSync(file, textOf(entry(a, { allow: ['10.0.0.0/8', '2001:db8::/32'] }), entry(b)));
    const keyring = open();
    for (const address of ['10.1.2.3', '::ffff:10.1.2.3', '2001:db8::1']) {
      expect(keyring.find(a.text, { address })?.id).toBe(a.id);
    }
    for (const address of ['11.1.2.3', '2001:db9::1', '', 'x', undefined]) {
      expect(keyring.find(a.text, { address })).toBeUndefined();
      expect(keyring.explain(a.text)).toEqual({ reason: 'address', keyId: a.id });
      expect(keyring.find(b.text, { address })?.id).toBe(b.id);
    }
  });

  test('that are not accepted are explained for the log', () => {
    writeFileSync(file, textOf(entry(a, { revoked: '2026-01-01' }), entry(b, { expires: '2026-01-01' })));
    const keyring = open();
    expect(keyring.explain(undefined)).toEqual({ reason: 'missing', keyId: undefined });
    expect(keyring.explain(makeKey().text)).toEqual({ reason: 'unknown', keyId: undefined });
    expect(keyring.explain(makeKey().text.replace(/^qg_[^_]+/, `qg_${a.id}`))).toEqual({
      reason: 'unknown',
      keyId: undefined,
    });
    expect(keyring.explain(a.text)).toEqual({ reason: 'revoked', keyId: a.id });
    expect(keyring.explain(b.text)).toEqual({ reason: 'expired', keyId: b.id });
  });

  test('in a missing or invalid file prevent the start', () => {
    expect(() => open()).toThrow(
      /keys\.json cannot be read \(ENOENT\): there is no file .*; `querygate keys create` makes one/,
    );
    writeFileSync(file, '{"keys": [{}]}');
    expect(() => open()).toThrow(/keys\.json:1 keys\.0\.id: /);
    writeFileSync(file, Buffer.from(textOf(entry(a, { tenants: ['Zürich'] })), 'latin1'));
    expect(() => open()).toThrow(/keys\.json:\d+ must be UTF-8: iconv -f latin1 -t utf-8/);
  });
});
