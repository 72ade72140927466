import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { lockfileProblems } from '../.ci/check-lockfile.ts';

const readJson = (file: string) => JSON.parse(readFileSync(file, 'utf8'));

/** Whether `npm ci --prefix <folder>` leaves out the scripts of packages. */
const runsNoScripts = (folder: string) =>
  readFileSync(`${folder}/.npmrc`, 'utf8').includes('ignore-scripts=true\n');

describe('the lockfiles', () => {
  test('of the service has no problems', () => {
    expect(lockfileProblems(readJson('package-lock.json'))).toEqual([]);
  });

  test('of the conformance run has a hash for each package; nothing of it is shipped or runs a script', () => {
    const problems = lockfileProblems(readJson('packages/bigquery-sql/conformance/package-lock.json'));
    expect(problems.filter((problem) => /SHA-512|registry|licence/.test(problem))).toEqual([]);
    expect(runsNoScripts('packages/bigquery-sql/conformance')).toBe(true);
  });

  test('of the clients that are tried has no problems, and none of them runs a script', () => {
    expect(lockfileProblems(readJson('test/typed-clients/package-lock.json'))).toEqual([]);
    expect(runsNoScripts('test/typed-clients')).toBe(true);
  });

  test('of the clients of agents has no problems, and none of them runs a script', () => {
    expect(lockfileProblems(readJson('test/agents/package-lock.json'))).toEqual([]);
    expect(runsNoScripts('test/agents')).toBe(true);
  });

  test('of what composes subgraphs has a hash for each package; nothing of it is shipped or runs a script', () => {
    const problems = lockfileProblems(readJson('test/federation/package-lock.json'));
    expect(problems.filter((problem) => /SHA-512|registry/.test(problem))).toEqual([]);
    expect(runsNoScripts('test/federation')).toBe(true);
  });

  test('of the registry on which a release is played has a hash for each package; nothing of it is shipped or runs a script', () => {
    const problems = lockfileProblems(readJson('test/registry/package-lock.json'));
    expect(problems.filter((problem) => /SHA-512|registry/.test(problem))).toEqual([]);
    expect(readFileSync('test/registry/run.ts', 'utf8')).toContain(
      "'ci', '--prefix', 'test/registry', '--ignore-scripts'",
    );
  });

  test('of the build of GraphiQL has no problems but in what its page does not contain', () => {
    expect(lockfileProblems(readJson('packages/pages/graphiql/package-lock.json'))).toEqual([
      expect.stringMatching(/^argparse@\S+: has the licence PSF-2\.0$/),
      expect.stringMatching(/^esbuild@\S+: runs a script when it is installed$/),
    ]);
    expect(runsNoScripts('packages/pages/graphiql')).toBe(true);
    const notices = readFileSync('packages/pages/built/graphiql/licences.txt', 'utf8');
    const licences = [...notices.matchAll(/^@?[\w/.-]+ \d\S*, (?<licence>.*)$/gm)];
    expect(licences.length).toBeGreaterThan(50);
    for (const { groups } of licences)
      expect(['MIT', 'Apache-2.0', 'BSD-2-Clause', '0BSD']).toContain(groups?.licence);
    expect(notices).not.toMatch(/^(argparse|esbuild) /m);
  });

  test('pin the Node that runs the gateway, on each platform', () => {
    const { optionalDependencies } = readJson('package.json');
    const { packages } = readJson('package-lock.json');
    for (const [name, version] of Object.entries(optionalDependencies)) {
      // A range would let npm choose another runtime.
      expect(version).toMatch(/^\d+\.\d+\.\d+$/);
      expect(packages[`node_modules/${name}`]).toMatchObject({ version, optional: true });
      expect(packages[`node_modules/${name}`].bin.node).toMatch(/^bin\/node(\.exe)?$/);
    }
    expect(Object.keys(optionalDependencies)).toHaveLength(5);
  });

  test('the scripts of npm find the pinned Node first, whatever the machine has', () => {
    const { optionalDependencies } = readJson('package.json');
    const { stdout } = spawnSync('node_modules/.bin/node', ['-v'], { encoding: 'utf8' });
    const versions = Object.values(optionalDependencies).map((version) => `v${version}`);
    expect(versions).toContain(stdout.trim());
  });
});

describe('a package', () => {
  const integrity = `sha512-${'A'.repeat(86)}==`;
  const problemsOf = (entry: object) =>
    lockfileProblems({
      packages: { '': {}, 'node_modules/a': { version: '1.0.0', license: 'MIT', integrity, ...entry } },
    });

  test.each([
    ['a licence that may be shipped', {}],
    ['a choice that includes one', { license: '(GPL-3.0 OR MIT)' }],
    ['a licence of a tool', { license: 'MPL-2.0', dev: true }],
  ])('with %s is fine', (_, entry) => {
    expect(problemsOf(entry)).toEqual([]);
  });

  test.each([
    ['without integrity', { integrity: undefined }, 'has no SHA-512; run npm run lock'],
    ['with a weak hash', { integrity: 'sha1-AAAA' }, 'has no SHA-512; run npm run lock'],
    ['of a named registry', { resolved: 'https://registry.example/a.tgz' }, 'names a registry'],
    ['with engines', { engines: { node: '>=24' } }, 'has engines; run npm run lock'],
    ['with an install script', { hasInstallScript: true }, 'runs a script when it is installed'],
    ['under the GPL', { license: 'GPL-2.0-or-later' }, 'has the licence GPL-2.0-or-later'],
    [
      'under the GPL as a tool',
      { license: 'GPL-2.0-or-later', dev: true },
      'has the licence GPL-2.0-or-later',
    ],
    ['under the MPL', { license: 'MPL-2.0' }, 'has the licence MPL-2.0'],
    ['under two licences', { license: 'MIT AND GPL-3.0' }, 'has the licence MIT AND GPL-3.0'],
    ['without a licence', { license: undefined }, 'has the licence (none)'],
  ])('%s is a problem', (_, entry, problem) => {
    expect(problemsOf(entry)).toEqual([`a@1.0.0: ${problem}`]);
  });
});
