import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { tenantPatternProblem } from '../src/catalog/binding/tenant-pattern.ts';
import { loadCatalog } from '../src/catalog/load-catalog.ts';
import { camelCase } from '../src/catalog/names.ts';
import { parseKeys } from '../src/keys/file/parse-keys.ts';
import { ago, openTestApp } from './support/test-app.ts';

describe('README', () => {
  const readme = readFileSync('README.md', 'utf8');

  test('links to files that exist', () => {
    const links = [...readme.matchAll(/\]\((?<path>[^):]+)\)/g)].map(({ groups }) => groups?.path ?? '');
    expect(links.length).toBeGreaterThan(0);
    for (const path of links) expect(existsSync(path), path).toBe(true);
  });

  test('names every shipped query and its GraphQL field', () => {
    for (const { name } of loadCatalog('queries').queries) {
      expect(readme).toContain(`| \`${name}\` | \`${camelCase(name)}\` |`);
    }
  });

  test('its example of a key file is right, and so is its tenant_pattern', () => {
    const [, yaml = ''] = /```yaml\n(keys:[\s\S]*?)```/.exec(readme) ?? [];
    const { keys, problems } = parseKeys('README.md', yaml);
    expect(problems).toEqual([]);
    expect(keys).toMatchObject([{ projects: ['abc'], permissions: ['fresh', 'catalog'] }]);
    const patterns = [...readme.matchAll(/^ +tenant_pattern: '(.*)'$/gm)].map(([, pattern]) => pattern ?? '');
    expect(patterns).toHaveLength(1);
    expect(tenantPatternProblem(patterns[0] ?? '', 'project')).toBeUndefined();
  });

  test('its example of a query runs as it stands', async () => {
    const [, sql = ''] = /```sql\n([\s\S]*?)```/.exec(readme) ?? [];
    const folder = mkdtempSync(join(tmpdir(), 'querygate-test-'));
    cpSync('queries', folder, { recursive: true });
    writeFileSync(join(folder, 'logs.by-status.sql'), sql);
    const record = {
      timestamp: ago({ hours: 1 }),
      project: 'p',
      metadata: [{ response: [{ status_code: 404 }] }],
    };
    const app = await openTestApp({ edge_logs: [record] }, { QUERIES_DIR: folder });
    expect(await app.rows('logs.by-status', { project: 'p' })).toEqual([{ status_code: 404, requests: 1 }]);
    await app.close();
    rmSync(folder, { recursive: true });
  });
});
