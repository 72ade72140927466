import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { runQuerygate } from '../support/gateway-process.ts';
import { isNightly } from '../support/nightly.ts';

const folder = mkdtempSync(join(tmpdir(), 'querygate-test-'));
afterAll(() => rmSync(folder, { recursive: true }));

interface Step {
  readonly name: string;
  readonly run: string;
  readonly env?: Readonly<Record<string, string>>;
}

const { inputs, runs } = parse(readFileSync('action.yml', 'utf8')) as {
  readonly inputs: Readonly<Record<string, { readonly default: string }>>;
  readonly runs: { readonly steps: readonly Step[] };
};

/** Runs a step as GitHub would, with the inputs in the place of their expressions. */
function runStep(name: string, given: Readonly<Record<string, string>> = {}) {
  const { run = '', env = {} } = runs.steps.find((step) => step.name === name) ?? {};
  const texts = Object.entries(env).map(([variable, text]) => {
    const input = /^\$\{\{ inputs\.([\w-]+) \}\}$/.exec(text)?.[1] ?? '';
    return [variable, given[input] ?? inputs[input]?.default ?? ''];
  });
  const { status, stdout, stderr } = spawnSync('bash', ['--noprofile', '--norc', '-e', '-c', run], {
    cwd: folder,
    env: { PATH: process.env.PATH, GITHUB_ACTION_PATH: resolve('.'), ...Object.fromEntries(texts) },
    encoding: 'utf8',
  });
  return { status, output: stdout + stderr };
}

test.skipIf(process.platform === 'win32' || !isNightly)(
  'the GitHub Action checks, tests and compares saved queries',
  () => {
    cpSync('queries', join(folder, 'queries'), { recursive: true });
    const git = (...args: readonly string[]) =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: folder });
    git('init', '-q', '-b', 'main');
    git('add', '.');
    git('commit', '-qm', 'first');
    expect(runStep('check')).toMatchObject({ status: 0, output: '3 saved queries are valid\n' });
    expect(runStep('test')).toMatchObject({ status: 0 });
    expect(runStep('diff', { base: 'main' })).toMatchObject({ status: 0 });

    const file = join(folder, 'queries', 'logs.all.sql');
    writeFileSync(file, readFileSync(file, 'utf8').replace(/^max_rows: \d+$/m, 'max_rows: 1'));
    const diff = runStep('diff', { base: 'main', 'fail-on': 'dangerous' });
    expect(diff.output).toContain('::warning file=queries/logs.all.sql,line=5');
    expect(diff.status).toBe(1);
    expect(runStep('diff', { base: 'main' })).toMatchObject({ status: 0 });
    writeFileSync(file, 'select 1');
    expect(runStep('check').output).toContain('::error file=queries/logs.all.sql,line=1');
  },
  // Six commands, one after another.
  600_000,
);

test('the hooks of pre-commit call commands that exist', async () => {
  const hooks = parse(readFileSync('.pre-commit-hooks.yaml', 'utf8')) as readonly {
    readonly entry: string;
  }[];
  expect(hooks.map(({ entry }) => entry)).toEqual([
    'querygate check',
    'querygate test',
    'querygate diff HEAD',
  ]);
  for (const { entry } of hooks) {
    const [, command = ''] = entry.split(' ');
    expect(await runQuerygate([command, '--help'])).toMatchObject({ exitCode: 0 });
  }
});
