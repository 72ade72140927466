import { execFileSync, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'querygate-test-'));
const git = (...args: readonly string[]) =>
  execFileSync('git', args, { cwd: folder, encoding: 'utf8' }).trim();

/** A repository of its own with the files that a release needs. */
beforeAll(() => {
  const files = ['src', 'queries', 'release', 'README.md', 'LICENSE', 'CHANGELOG.md', '.gitignore'];
  for (const name of [
    ...files,
    'package.json',
    'package-lock.json',
    'tsconfig.json',
    'tsconfig.build.json',
  ]) {
    cpSync(name, join(folder, name), { recursive: true });
  }
  cpSync('packages', join(folder, 'packages'), {
    recursive: true,
    filter: (path) => !path.includes('node_modules'),
  });
  // The packages of the repository are linked, as npm does it: the copied ones are packed.
  for (const path of globSync(['node_modules/*', 'node_modules/.bin', 'node_modules/@querygate/*'])) {
    if (path === join('node_modules', '@querygate') || path === join('node_modules', 'querygate')) continue;
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    const target = path.startsWith(join('node_modules', '@querygate'))
      ? join(folder, 'packages', basename(path))
      : resolve(path);
    symlinkSync(target, join(folder, path));
  }
  symlinkSync('..', join(folder, 'node_modules', 'querygate'));
  appendFileSync(join(folder, '.gitignore'), 'node_modules\nbuild/\n');
  git('init', '--quiet');
  git('config', 'user.email', 'tests@example.com');
  git('config', 'user.name', 'Tests');
  git('add', '.');
  git('commit', '--quiet', '--message', 'all');
});
afterAll(() => rmSync(folder, { recursive: true }));

const readJson = (name: string) => JSON.parse(readFileSync(join(folder, name), 'utf8'));

const release = (...args: readonly string[]) =>
  spawnSync(process.execPath, ['release/release.ts', ...args], { cwd: folder, encoding: 'utf8' });

test('a release packs, installs and runs the package, and tags it', () => {
  const { status, stdout, stderr } = release('0.2.0');
  expect({ status, stderr: status === 0 ? '' : stderr }).toEqual({ status: 0, stderr: '' });
  expect(stdout).toMatch(/querygate-0\.2\.0\.tgz installs, and answers \d+ ms after its start/);
  expect(git('tag')).toBe('v0.2.0');
  expect(git('log', '-1', '--format=%s')).toBe('release: 0.2.0');
  expect(git('status', '--porcelain')).toBe('');
  expect(stdout).toMatch(/querygate-bigquery-sql-0\.2\.0\.tgz installs, and runs a query/);
  expect(stdout).toMatch(/querygate-duckdb-import-0\.2\.0\.tgz installs, and imports a folder/);
  for (const name of ['.', ...globSync('packages/*', { cwd: folder })])
    expect(readJson(`${name}/package.json`).version, name).toBe('0.2.0');
  const names = ['bigquery-sql', 'duckdb-import', 'pages', 'text'];
  const own = Object.fromEntries(names.map((name) => [`@querygate/${name}`, '0.2.0']));
  expect(readJson('package.json').dependencies).toMatchObject(own);
  // Nothing else of the lockfile changes.
  const { version, packages } = readJson('package-lock.json');
  const before = JSON.parse(readFileSync('package-lock.json', 'utf8'));
  expect(version).toBe('0.2.0');
  expect(packages['']).toMatchObject({ version: '0.2.0', dependencies: own });
  const others = (all: Record<string, { version: string }>) =>
    Object.entries(all).filter(([path]) => path !== '' && !path.startsWith('packages/'));
  expect(others(packages)).toEqual(others(before.packages));
  expect(packages['packages/pages'].version).toBe('0.2.0');
  expect(readFileSync(join(folder, 'CHANGELOG.md'), 'utf8')).toMatch(
    /^## \[Unreleased\]\n\n## \[0\.2\.0\] - \d{4}-\d\d-\d\d\n/m,
  );

  const refusals: readonly (readonly [string, string])[] = [
    ['0.1.5', 'nor a version after 0.2.0'],
    ['patch', 'CHANGELOG.md lists nothing under [Unreleased]'],
    ['0.2.0', 'the tag v0.2.0 exists already'],
  ];
  for (const [step, message] of refusals) {
    const refused = release(step);
    expect(refused.status).toBe(1);
    expect(refused.stderr).toContain(message);
  }
  appendFileSync(join(folder, 'README.md'), 'more\n');
  expect(release('minor').stderr).toContain('there are changes that are not committed');
}, 600_000);
