import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { rollKey } from '../../../src/cli/keys/commands.ts';
import { keyTable } from '../../../src/cli/keys/key-table.ts';
import { type KeyInput, keyFileSchema } from '../../../src/keys/file/key-schema.ts';
import { type KeyFile, writeKeyFile } from '../../support/key-files.ts';

const now = new Date('2026-11-30T12:00:00Z');

const bounded = {
  endpoints: ['logs.all'],
  tenants: ['acme'],
  allow: ['10.0.0.0/8'],
  expires: '2099-01-31T00:00:00Z',
  rate: { requests_per_minute: 600, concurrent_queries: 4 },
  budget: { rate: '10GB/h', burst: '20GB', tracking: true },
  permissions: ['sql'],
} satisfies Partial<KeyInput>;

describe('keys with every property', () => {
  let file: KeyFile;
  beforeEach(() => {
    file = writeKeyFile({ bounded });
  });
  afterEach(() => file.remove());

  const entries = () => JSON.parse(readFileSync(file.path, 'utf8')).keys;

  test('a rolled key has every property of the old one but its id, its hash and when it ends', async () => {
    const [old] = entries();
    // The entry of the file, before it is transformed.
    const properties = Object.keys(keyFileSchema.shape.keys.element.in.shape);
    expect(Object.keys({ ...old, revoked: '' }).sort()).toEqual(properties.sort());

    await rollKey(file.path, file.idOf('bounded'), { now, overlapMs: 0, expires: undefined });
    const [, { id, sha256, ...shared }] = entries();
    expect(shared).toEqual({ name: 'bounded', ...bounded });
    expect([id, sha256]).not.toContain(old.id);
  });

  test('the table shows a key that is bound to a tenant named all unlike one without bounds', () => {
    const entry = { ...entries()[0], tenants: ['all'], endpoints: undefined };
    const { keys } = keyFileSchema.parse({ keys: [entry] });
    const [, row] = keyTable(keys, { now, lastUsed: undefined, isTerminal: false }).split('\n');
    expect(row?.split('\t').slice(4, 6)).toEqual(['all', '[all]']);
  });

  test('the table shows the budget of a key', () => {
    const { keys } = keyFileSchema.parse({ keys: entries() });
    const [header, row] = keyTable(keys, { now, lastUsed: undefined, isTerminal: false }).split('\n');
    expect([header?.split('\t').at(-1), row?.split('\t').at(-1)]).toEqual([
      'budget',
      'rate: 10GB/h, burst: 20GB, tracking: true',
    ]);
  });

  test('the table shows what hides in names and tenants', () => {
    const [entry] = entries();
    const hiding = { ...entry, name: 'a\u202eb', tenants: ['x\u200by'] };
    const { keys } = keyFileSchema.parse({ keys: [hiding] });
    for (const isTerminal of [true, false]) {
      const table = keyTable(keys, { now, lastUsed: undefined, isTerminal });
      expect(table).toContain('a\\u{202e}b');
      expect(table).toContain('x\\u{200b}y');
    }
  });
});
