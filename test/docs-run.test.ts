import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openCommandHost } from './support/command-host.ts';
import { ago, openTestApp } from './support/test-app.ts';

const read = (file: string) => readFileSync(file, 'utf8');

test('the example of a query runs unchanged', async () => {
  const [, sql = ''] = /```sql\n([\s\S]*?)```/.exec(read('README.md')) ?? [];
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

const querygate = openCommandHost();
const commandLines = [
  ...['', 'dev', 'check', 'keys', 'health', 'schema', 'compile', 'config', 'sql', 'mcp'],
  ...['keys create', 'keys list', 'keys revoke', 'keys roll'],
  ...['new', 'test', 'diff', 'tables', 'tables add', 'lsp'],
];

test('each option of `querygate start` is a setting that the docs describe', async () => {
  const { output } = await querygate(['start', '--help']);
  const options = [...output.matchAll(/^ +--([\w-]+) <value>/gm)].map(([, name = '']) => name);
  expect(options.length).toBeGreaterThan(40);
  const page = read('docs/configuration.md');
  const settings = options.map((name) => `| \`${name.replaceAll('-', '_').toUpperCase()}\` |`);
  expect(settings.filter((row) => !page.includes(row))).toEqual([]);
});

test.each(commandLines)('the docs show the help of `querygate %s` as it is', async (command) => {
  const { output } = await querygate([...command.split(' ').filter(Boolean), '--help']);
  expect(output).toMatch(/^Usage: querygate /);
  const page = command === 'sql' ? 'docs/sql.md' : 'docs/commands.md';
  expect(read(page)).toContain(`\n\`\`\`\n${output}\`\`\`\n`);
});
