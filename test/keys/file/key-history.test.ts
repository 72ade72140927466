import { describe, expect, test } from 'vitest';
import { KeyHistory } from '../../../src/keys/file/key-history.ts';
import { bounds, type KeyInput, unboundedWord } from '../../../src/keys/file/key-schema.ts';
import { parseKeys } from '../../../src/keys/file/parse-keys.ts';

const entry = (id: string, more: Partial<KeyInput> = {}): KeyInput => ({
  id: id.repeat(8),
  name: id,
  sha256: 'ab'.repeat(32),
  ...more,
});
const parsed = (...keys: readonly KeyInput[]) => parseKeys('keys.json', JSON.stringify({ keys }));

const bounded: Partial<KeyInput> = {
  endpoints: ['logs.all'],
  tenants: ['abc'],
  allow: ['10.0.0.0/8'],
  expires: '2099-01-01',
  budget: { bytes_per_day: '1GB' },
  rate: { requests_per_minute: 60, concurrent_queries: 4 },
};

/** The entry without one of its bounds, or with the word that says so. */
function without(bound: string, word?: string): KeyInput {
  const { rate, ...rest } = bounded;
  const fields: Record<string, unknown> = { ...rest, ...(rate as object) };
  delete fields[bound];
  if (word !== undefined) fields[bound] = word;
  const { requests_per_minute, concurrent_queries, ...others } = fields;
  return entry('a', {
    ...others,
    rate: JSON.parse(JSON.stringify({ requests_per_minute, concurrent_queries })),
  });
}

describe('a changed key file', () => {
  test.each(bounds.filter((bound) => bound !== 'revoked'))(
    'in which a key has lost %s is refused, unless it says so on purpose',
    (bound) => {
      const history = new KeyHistory(parsed(entry('a', bounded)).keys);
      const lost = history.consider(parsed(without(bound), entry('b')));
      expect(lost.refused).toEqual([
        `key aaaaaaaa would lose its bound because ${bound} is absent; if that is meant, write "${bound}: ${unboundedWord[bound]}"`,
      ]);
      expect(lost).toMatchObject({ keys: parsed(entry('a', bounded)).keys, changes: [] });
      const onPurpose = history.consider(parsed(without(bound, unboundedWord[bound]), entry('b')));
      expect(onPurpose).toMatchObject({
        refused: [],
        changes: [
          { key: 'aaaaaaaa', change: 'changed', fields: [bound.includes('_') ? 'rate' : bound] },
          { key: 'bbbbbbbb', change: 'added' },
        ],
      });
    },
  );

  test('with the whole rate lost is refused, unless it says unlimited', () => {
    const history = new KeyHistory(parsed(entry('a', bounded)).keys);
    const { rate: _, ...others } = bounded;
    expect(history.consider(parsed(entry('a', others))).refused).toHaveLength(2);
    expect(history.consider(parsed(entry('a', { ...others, rate: 'unlimited' }))).refused).toEqual([]);
  });

  test('with one limit of a budget lost is refused, unless it says unlimited', () => {
    const budget = { bytes_per_day: '1GB', slot_time_per_day: '1h', rate: '1GB/h', burst: '2GB' };
    const history = new KeyHistory(parsed(entry('a', { budget })).keys);
    const having = (given: NonNullable<KeyInput['budget']>) =>
      history.consider(parsed(entry('a', { budget: given })));
    expect(having({ bytes_per_day: '1GB' }).refused).toEqual(
      ['slot_time_per_day', 'rate'].map(
        (limit) =>
          `key aaaaaaaa would lose its bound because budget.${limit} is absent; if that is meant, write "budget: { ${limit}: unlimited }"`,
      ),
    );
    expect(having({ slot_time_per_day: '1h', rate: '1GB/h' }).refused).toHaveLength(1);
    const { burst: _, ...whole } = budget;
    expect(having({ ...whole, bytes_per_day: '2GB' }).refused).toEqual([]);
    const meant = { bytes_per_day: '1GB', slot_time_per_day: 'unlimited', rate: 'unlimited' };
    expect(having(meant)).toMatchObject({
      refused: [],
      changes: [{ change: 'changed', fields: ['budget'] }],
    });
    expect(having({ bytes_per_day: '1GB' })).toMatchObject({ refused: [], changes: [] });
    expect(having('unlimited').refused).toEqual([]);
  });

  test('with the burst of a budget lost is refused, if what comes in an hour is more', () => {
    const history = new KeyHistory(parsed(entry('a', { budget: { rate: '1GB/s', burst: '20GB' } })).keys);
    const refused = (budget: NonNullable<KeyInput['budget']>) =>
      history.consider(parsed(entry('a', { budget }))).refused;
    const lost = [expect.stringContaining('because budget.burst is absent')];
    expect(refused({ rate: '1GB/s' })).toEqual(lost);
    expect(refused({ rate: '1s/h' })).toEqual(lost);
    expect(refused({ bytes_per_day: '1TB' })).toEqual([expect.stringContaining('budget.rate is absent')]);
    expect(refused({ rate: '1GB/s', burst: '4TB' })).toEqual([]);
    expect(refused({ rate: '1GB/s' })).toEqual([]);
    expect(refused({ rate: 'unlimited', bytes_per_day: '1TB' })).toEqual([]);
  });

  test('does not bring a revoked key back, even if it was removed in between', () => {
    const revoked = entry('a', { revoked: '2026-01-01' });
    const history = new KeyHistory(parsed(revoked, entry('b')).keys);
    expect(history.consider(parsed(entry('b'))).changes).toEqual([{ key: 'aaaaaaaa', change: 'removed' }]);
    const { refused, keys } = history.consider(parsed(entry('a'), entry('b')));
    expect(refused).toEqual([
      'key aaaaaaaa is revoked, and would be valid again because revoked is absent; if that is meant, write "revoked: never"',
    ]);
    expect(keys.map(({ id }) => id)).toEqual(['bbbbbbbb']);
    expect(history.consider(parsed(entry('a', { revoked: 'never' }), entry('b'))).refused).toEqual([]);
  });

  test('that is refused still revokes keys', () => {
    const history = new KeyHistory(parsed(entry('a', bounded), entry('b')).keys);
    const { refused, keys, changes } = history.consider(
      parsed(entry('a'), entry('b', { revoked: '2026-01-01' }), entry('c')),
    );
    expect(refused.length).toBeGreaterThan(0);
    expect(changes).toEqual([{ key: 'bbbbbbbb', change: 'revoked', fields: ['revoked'] }]);
    expect(keys).toMatchObject([{ id: 'aaaaaaaa', tenants: ['abc'] }, { id: 'bbbbbbbb' }]);
    expect(keys[1]?.revoked).toBeInstanceOf(Date);
    // The next file does not bring it back either.
    expect(history.consider(parsed(entry('a', bounded), entry('b'))).refused[0]).toContain('bbbbbbbb');
  });

  test('that is not whole is refused, with what to write', () => {
    const history = new KeyHistory([]);
    const yaml = `keys:\n  - { id: abcdefgh, name: a, sha256: ${'ab'.repeat(32)} }\n`;
    const { refused, keys } = history.consider(parseKeys('keys.yaml', yaml));
    expect(refused).toEqual([expect.stringContaining('must end with the number of its keys')]);
    expect(keys).toEqual([]);
    expect(history.consider(parseKeys('keys.yaml', `${yaml}count: 1\n`)).keys).toHaveLength(1);
  });

  test('may give a key more where it says what', () => {
    const history = new KeyHistory(parsed(entry('a', bounded)).keys);
    const more = { ...bounded, tenants: ['abc', 'def'], expires: '2100-01-01' };
    expect(history.consider(parsed(entry('a', more)))).toMatchObject({
      refused: [],
      changes: [{ key: 'aaaaaaaa', change: 'changed', fields: ['tenants', 'expires'] }],
    });
  });

  test('that is equal is no change', () => {
    const history = new KeyHistory(parsed(entry('a', bounded)).keys);
    expect(history.consider(parsed(entry('a', bounded))).changes).toEqual([]);
  });
});
