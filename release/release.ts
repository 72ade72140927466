import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { nextVersion, releaseChangelog } from './changelog.ts';
import { checkAuthoring, checkCompiler, checkImport, checkPackage } from './check-package.ts';
import { packages } from './packages.ts';
import { versionedFiles, writeVersion } from './write-version.ts';

const usage = `npm run release -- <major|minor|patch|version> [--dry-run]

Writes the version to every package.json, package-lock.json and CHANGELOG.md, packs the packages into build/, installs them
into empty folders, runs them there, commits and tags. Nothing is published: the commands for that are printed.

--dry-run   pack and check only; every file stays as it was
`;

const files = [...versionedFiles, 'CHANGELOG.md'];
const folder = 'build';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { 'dry-run': { type: 'boolean' }, help: { type: 'boolean' } },
});
const [requested, ...more] = positionals;
if (values.help === true || requested === undefined || more.length > 0) {
  process.stdout.write(usage);
  process.exit(values.help === true ? 0 : 1);
}
await release(requested, values['dry-run'] === true);

async function release(step: string, isDryRun: boolean): Promise<void> {
  const { version: current } = JSON.parse(readFileSync('package.json', 'utf8')) as {
    readonly version: string;
  };
  const version =
    nextVersion(current, step) ??
    fail(`${step} is neither major, minor or patch, nor a version after ${current}`);
  if (!isDryRun && git('status', '--porcelain') !== '') fail('there are changes that are not committed');
  if (git('tag', '--list', `v${version}`) !== '') fail(`the tag v${version} exists already`);
  const date = new Date().toISOString().slice(0, 10);
  const changelog =
    releaseChangelog(readFileSync('CHANGELOG.md', 'utf8'), version, date) ??
    fail('CHANGELOG.md lists nothing under [Unreleased]');

  const originals = files.map((file) => [file, readFileSync(file)] as const);
  const restore = () => {
    for (const [file, text] of originals) writeFileSync(file, text);
  };
  try {
    writeFileSync('CHANGELOG.md', changelog);
    writeVersion(version);
    mkdirSync(folder, { recursive: true });
    for (const { folder: packed } of packages)
      execFileSync('npm', ['pack', '--pack-destination', folder, `./${packed}`], {
        stdio: ['ignore', 'ignore', 'inherit'],
      });
    const [text = '', compiler = '', importer = '', gateway = '', authoring = ''] = tarballs(version).map(
      (tarball) => resolve(tarball),
    );
    checkCompiler(text, compiler);
    print(`${compiler} installs, and runs a query`);
    checkImport(text, compiler, importer);
    print(`${importer} installs, and imports a folder`);
    const ms = await checkPackage(gateway, version);
    print(`${gateway} installs, and answers ${Math.round(ms)} ms after its start`);
    checkAuthoring(text, compiler, importer, gateway, authoring);
    print(`${authoring} installs beside it, and tests the saved queries of the demo`);
  } catch (error) {
    restore();
    throw error;
  }
  if (isDryRun) return restore();
  git('add', ...files);
  git('commit', '--quiet', '--message', `release: ${version}`);
  git('tag', '--annotate', `v${version}`, '--message', `Querygate ${version}`);
  print(`Tagged v${version}. To publish it:`);
  print('  git push --follow-tags');
  for (const tarball of tarballs(version)) print(`  npm publish --access public ${tarball}`);
}

/** The files that npm packs, in the order in which they are published. */
function tarballs(version: string): readonly string[] {
  return packages.map(({ name }) => `${folder}/${name.replace('@', '').replace('/', '-')}-${version}.tgz`);
}

function git(...args: readonly string[]): string {
  return execFileSync('git', args, { encoding: 'utf8' }).trim();
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function fail(message: string): never {
  process.stderr.write(`No release: ${message}\n`);
  process.exit(1);
}
