import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { digestOf, idOfKey, keyShape, makeKey } from '../../src/keys/key-text.ts';

describe('the text of a key', () => {
  test('matches the regular expression that the documentation gives for secret scanners', () => {
    expect(readFileSync('docs/keys-and-tenants.md', 'utf8')).toContain(`\`${keyShape.source}\``);
    for (let at = 0; at < 100; at += 1) {
      const { id, text } = makeKey();
      expect(`curl -H "X-API-KEY: ${text}"`).toMatch(keyShape);
      expect(idOfKey(text)).toBe(id);
    }
  });

  test('is never repeated, and has an unused id', () => {
    const texts = new Set(Array.from({ length: 1_000 }, () => makeKey().text));
    expect(texts.size).toBe(1_000);
    const checkedIds: string[] = [];
    const { id } = makeKey((one) => checkedIds.push(one) < 3);
    expect(checkedIds).toHaveLength(3);
    expect(id).toBe(checkedIds[2]);
  });

  test('with any character changed, removed or added is not a key', () => {
    const { text } = makeKey();
    for (let at = 0; at < text.length; at += 1) {
      const other = text[at] === 'a' ? 'b' : 'a';
      expect(idOfKey(text.slice(0, at) + other + text.slice(at + 1))).toBeUndefined();
    }
    for (const wrong of [
      '',
      'qg_',
      text.slice(1),
      text.slice(0, -1),
      `${text}a`,
      ` ${text}`,
      `${text}\n`,
      text.toUpperCase(),
    ]) {
      expect(idOfKey(wrong)).toBeUndefined();
    }
  });

  test('has a standard SHA-256 digest', () => {
    expect(digestOf('abc').toString('hex')).toBe(
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    );
  });
});
