import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readManifest } from '../../src/dbt/manifest.ts';

test('columns and config that are null are none', () => {
  const folder = mkdtempSync(join(tmpdir(), 'querygate-manifest-'));
  const document = JSON.parse(readFileSync(join(import.meta.dirname, 'manifest.json'), 'utf8'));
  for (const node of Object.values<Record<string, unknown>>(document.nodes))
    Object.assign(node, { columns: null, config: null });
  const file = join(folder, 'manifest.json');
  writeFileSync(file, JSON.stringify(document));
  expect(() => readManifest(file)).not.toThrow();
  rmSync(folder, { recursive: true });
});
