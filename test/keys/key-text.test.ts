import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { digestOf, idOfKey, keyShape, makeKey } from '../../src/keys/key-text.ts';

describe('the text of a key', () => {
  test('is found by the expression that the documentation gives to scanners, wherever it stands', () => {
    expect(readFileSync('docs/keys-and-tenants.md', 'utf8')).toContain(`\`${keyShape.source}\``);
    for (let at = 0; at < 100; at += 1) {
      const { id, text } = makeKey();
      expect(`curl -H "X-API-KEY: ${text}"`).toMatch(keyShape);
      expect(idOfKey(text)).toBe(id);
    }
  });

  test('never comes twice, and has an id that is free', () => {
    const texts = new Set(Array.from({ length: 1_000 }, () => makeKey().text));
    expect(texts.size).toBe(1_000);
    const asked: string[] = [];
    const { id } = makeKey((one) => asked.push(one) < 3);
    expect(asked).toHaveLength(3);
    expect(id).toBe(asked[2]);
  });

  test('with any letter changed, cut off or added is none', () => {
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

  test('has a digest that any tool computes', () => {
    expect(digestOf('abc').toString('hex')).toBe(
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    );
  });
});
