import { expect, test } from 'vitest';
import { groupOf, keyOf } from '../../src/concurrency/fair-share.ts';
import { ownerOf, unrestricted } from '../../src/keys/principal.ts';

const ownerWith = (id: string, tenants?: readonly string[]) =>
  ownerOf({ ...unrestricted(id), tenants: tenants && new Set(tenants) });

test('callers with the same tenants are one owner, whatever their keys', () => {
  const [one, other] = [ownerWith('one', ['a', 'b']), ownerWith('other', ['b', 'a'])];
  expect(groupOf(one)).toBe(groupOf(other));
  expect([keyOf(one), keyOf(other)]).toEqual(['one', 'other']);
});

test('other tenants, also some of the same, and keys without tenants are owners of their own', () => {
  const owners = [
    ownerWith('one', ['a']),
    ownerWith('one', ['a', 'b']),
    ownerWith('one', ['a,b']),
    ownerWith('one', []),
    ownerWith('one'),
    ownerWith('two'),
  ];
  expect(new Set(owners.map(groupOf)).size).toBe(owners.length);
});

test('an owner takes as much memory with many tenants as with one', () => {
  const many = Array.from({ length: 10_000 }, (_, at) => `tenant ${at}`);
  expect(groupOf(ownerWith('one', many))).toHaveLength(groupOf(ownerWith('one', ['a']))?.length ?? 0);
});
