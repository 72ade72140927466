import { execFileSync } from 'node:child_process';
import {
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { notesOf, tagProblems } from '../../release/check-tag.ts';

const manifests = ['package.json', ...globSync('packages/*/package.json')];
const readJson = (file: string) => JSON.parse(readFileSync(file, 'utf8'));

describe('the packages', () => {
  test.each(manifests)('%s has the version of all, and depends on the others at it', (file) => {
    const { version } = readJson('package.json');
    const manifest = readJson(file);
    expect(manifest.version).toBe(version);
    const own = Object.entries({ ...manifest.dependencies, ...manifest.peerDependencies }).filter(([name]) =>
      /^(?:@querygate\/|querygate$)/.test(name),
    );
    for (const [name, range] of own) expect(range, name).toBe(version);
  });

  test('a release gives one version to all of them, and the changelog what the changes say', () => {
    const folder = mkdtempSync(join(tmpdir(), 'querygate-test-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    for (const file of [
      ...manifests,
      'package-lock.json',
      '.changeset/config.json',
      'release/changelog.ts',
    ]) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      cpSync(file, join(folder, file));
    }
    symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
    writeFileSync(join(folder, 'CHANGELOG.md'), '# Changelog\n\n## 0.0.0\n\n- Old.\n');
    const change = '---\n"querygate": minor\n---\n\n`A_NAME` is gone.\n\n- in one place\n- in another\n';
    writeFileSync(join(folder, '.changeset', 'one.md'), change);
    for (const args of [
      ['init', '--quiet'],
      ['add', '.'],
      ['-c', 'user.name=a', '-c', 'user.email=a@example.com', 'commit', '--quiet', '--message', 'all'],
    ])
      execFileSync('git', args, { cwd: folder });
    execFileSync(resolve('node_modules/.bin/changeset'), ['version'], { cwd: folder });

    const [major, minor, patch, preview] = readJson('package.json').version.split(/[.-]/);
    // A preview of a minor version becomes that version.
    const next = `${major}.${Number(minor) + (preview !== undefined && patch === '0' ? 0 : 1)}.0`;
    for (const file of manifests) {
      const manifest = readJson(join(folder, file));
      const own = Object.entries({ ...manifest.dependencies, ...manifest.peerDependencies }).filter(
        ([name]) => /^(?:@querygate\/|querygate$)/.test(name),
      );
      expect([manifest.version, ...own.map(([, range]) => range)]).toEqual([next, ...own.map(() => next)]);
    }
    const changelog = readFileSync(join(folder, 'CHANGELOG.md'), 'utf8');
    const lines = '- `A_NAME` is gone.\n\n  - in one place\n  - in another\n';
    expect(changelog).toBe(
      `# Changelog\n\n## ${next}\n\n### Minor Changes\n\n${lines}\n## 0.0.0\n\n- Old.\n`,
    );
    expect(globSync('.changeset/*.md', { cwd: folder })).toEqual([]);
  });

  test.each(globSync('.changeset/*.md', { exclude: ['.changeset/README.md'] }))(
    '%s is of the one changelog',
    (file) => {
      expect(readFileSync(file, 'utf8')).toMatch(/^---\n"querygate": (?:major|minor|patch)\n---\n\n\S/);
    },
  );
});

describe('a tag', () => {
  const release = {
    versions: new Map([
      ['querygate', '0.2.0'],
      ['@querygate/text', '0.2.0'],
    ]),
    changelog: '# Changelog\n\n## 0.2.0\n\n### Minor Changes\n\n- New.\n\n## 0.1.0\n\n- Old.\n',
    changesets: [],
  };

  test('with the version of all packages is released, with what the changelog says of it', () => {
    expect(tagProblems('v0.2.0', release)).toEqual([]);
    expect(notesOf('v0.2.0', release.changelog)).toBe('### Minor Changes\n\n- New.');
    expect(notesOf('v0.1.0', release.changelog)).toBe('- Old.');
  });

  test.each([
    ['of another version', 'v0.1.0', {}, 'querygate has the version 0.2.0, so that its tag is v0.2.0'],
    ['without v', '0.2.0', {}, 'querygate has the version 0.2.0, so that its tag is v0.2.0'],
    [
      'beside a package of another version',
      'v0.2.0',
      { versions: new Map([['@querygate/text', '0.1.9']]) },
      '@querygate/text has the version 0.1.9, so that its tag is v0.1.9',
    ],
    [
      'with a change that has no version',
      'v0.2.0',
      { changesets: ['.changeset/one.md'] },
      '.changeset/one.md has no version yet: npm run release',
    ],
    ['without notes', 'v0.2.0', { changelog: '# Changelog\n' }, 'CHANGELOG.md has no section "## 0.2.0"'],
  ])('%s is not released', (_, tag, differing, problem) => {
    expect(tagProblems(tag, { ...release, ...differing })).toContain(problem);
  });
});
