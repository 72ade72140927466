import { expect, test } from 'vitest';
import { editKeys } from '../../../src/keys/file/edit-keys.ts';

test('a JSON file with a byte order mark stays JSON', () => {
  expect(JSON.parse(editKeys('\uFEFF{ "keys": [] }', true).text())).toEqual({ keys: [] });
});
