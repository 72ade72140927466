import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { settingNames } from '../src/config/settings.ts';
import { openCommandHost } from './support/command-host.ts';
import { nightly } from './support/nightly.ts';
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
  ...['dev', 'check', 'health', 'schema', 'openapi', 'types', 'compile', 'config', 'mcp', 'sql', 'costs'],
  ...['keys create', 'keys list', 'keys revoke', 'keys roll'],
  ...['new', 'test', 'diff', 'tables add', 'tables import', 'tables convert', 'exposures', 'lsp'],
];

test('each option of `querygate start` is a setting that the docs describe', async () => {
  const { output } = await querygate(['start', '--help']);
  const options = [...output.matchAll(/^ +--([\w-]+) <value>/gm)].map(([, name = '']) => name);
  expect(options.length).toBeGreaterThan(40);
  const page = read('docs/configuration.md');
  const settings = options.map((name) => `| \`${name.replaceAll('-', '_').toUpperCase()}\` |`);
  expect(settings.filter((row) => !page.includes(row))).toEqual([]);
});

/** Options that commands.md has once for all commands, and settings, which configuration.md has. */
const common = ['--config', '--queries-dir', '--engine', '--help', '--version'];
const isSetting = (flag: string, value: string) =>
  value === ' <value>' &&
  settingNames.some((name) => flag === `--${name.toLowerCase().replaceAll('_', '-')}`);

const commandsPage = () => read('docs/commands.md').replace(/\n {2,}(?=[^\s-])|\n(?=[^\s\n#|`-])/g, ' ');

/** What the help of a command says, without line breaks inside. */
async function helpOf(command: string) {
  const { output } = await querygate([...command.split(' ').filter(Boolean), '--help']);
  const lines = output.replace(/\n {10,}(?=\S)/g, ' ');
  const [, usage = ''] = /^Usage: querygate (.*)$/m.exec(lines) ?? [];
  const description = lines.split('\n\n')[1]?.replaceAll('\n', ' ');
  const options = [...lines.matchAll(/^ {2}(?:-\w, )?(--[\w-]+)(.*?) {2,}(.*)$/gm)].map(
    ([, flag = '', value = '', text = '']) => ({ flag, value, line: `- \`${flag}${value}\`: ${text}` }),
  );
  return { output, usage: usage.replace(' [options]', ''), description, options };
}

test.each(commandLines)(
  'commands.md has the usage, the description and the options of the help of `querygate %s`',
  async (command) => {
    const { usage, description, options } = await helpOf(command);
    const page = commandsPage();
    expect(page).toContain(`\`${usage}\`: ${description}`);
    const [, after = ''] = page.split(`\`${usage}\`: ${description}`);
    const [own = ''] = after.split(/\n(?:## |- `[a-z])/);
    const stated = [...own.matchAll(/^ *(- `--.*)$/gm)].map(([, line]) => line);
    const special = options.filter(({ flag, value }) => !isSetting(flag, value) && !common.includes(flag));
    expect(stated).toEqual(special.map(({ line }) => line));
    for (const { flag, line } of options) {
      if (['--config', '--queries-dir', '--engine'].includes(flag)) expect(page).toContain(`\n${line}\n`);
    }
  },
);

test('commands.md has every command, and the exit codes of the help', async () => {
  const { output } = await querygate(['--help']);
  const commands = [...output.matchAll(/^ {2}([a-z]\w+)(?: |$)/gm)].map(([, name = '']) => name);
  const others = ['keys', 'tables', 'help', 'start'];
  expect(commands.filter((name) => !others.includes(name) && !commandLines.includes(name))).toEqual([]);
  const [, codes = ''] = output.split('Exit codes:\n');
  const rows = [...codes.matchAll(/^ {2}(\d) {2}(.*)$/gm)].map(
    ([, code, meaning]) => `| ${code} | ${meaning} |`,
  );
  expect(rows).toHaveLength(4);
  for (const row of rows) expect(commandsPage()).toContain(row);
});

nightly('compiler.md shows what becomes of its example', async () => {
  const [, query = '', result = ''] =
    /```sql\n(select left[\s\S]*?)```[\s\S]*?```sql\n(SELECT [\s\S]*?)```/.exec(read('docs/compiler.md')) ??
    [];
  const { output } = await querygate(['sql', '--explain', query]);
  const [, passed = ''] = output.split('With passes:\n');
  expect(passed.split('\n')[0]).toBe(result.trim().replaceAll('\n', ' '));
  for (const name of ['inline queries', 'unnest records'])
    expect(output).toContain(`${name}: changes the query`);
});
