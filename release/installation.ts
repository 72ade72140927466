import { execFileSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type Package, packages, tarballOf } from './packages.ts';

/**
 * What an installation of each packed package takes and contains: `node release/installation.ts [folder]`. It writes what the
 * gateway's contains into the folder as `sbom.cdx.json` (CycloneDX), and exits with 1 if a package has become too large.
 */
const folder = process.argv[2] ?? 'build';

/** At most so many bytes, packed and installed with what it needs. */
const most: Readonly<Record<string, { readonly packed: number; readonly installed: number }>> = {
  '@querygate/text': { packed: 20e3, installed: 100e3 },
  '@querygate/bigquery-sql': { packed: 600e3, installed: 90e6 },
  '@querygate/duckdb-import': { packed: 150e3, installed: 90e6 },
  '@querygate/pages': { packed: 2e6, installed: 2.5e6 },
  querygate: { packed: 5e6, installed: 145e6 },
  '@querygate/authoring': { packed: 150e3, installed: 160e6 },
};

interface Installed {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly bytes: number;
}

print(`| package | packed | installed alone | with what it needs | packages |\n|---|---|---|---|---|`);
for (const one of packages) {
  const place = install(one);
  try {
    const all = installedIn(place);
    const own = all.find(({ name }) => name === one.name)?.bytes ?? 0;
    const packed = statSync(join(folder, tarballOf(one))).size;
    const installed = all.reduce((sum, { bytes }) => sum + bytes, 0);
    print(`| ${one.name} | ${size(packed)} | ${size(own)} | ${size(installed)} | ${all.length} |`);
    const limit = most[one.name];
    if (limit === undefined) fail(`${one.name}: write here how large it may be`);
    else if (packed > limit.packed || installed > limit.installed)
      fail(`${one.name} has more than ${size(limit.packed)} packed, or ${size(limit.installed)} installed`);
    if (one.name === 'querygate') describe(place, all);
  } finally {
    rmSync(place, { recursive: true });
  }
}

/** Installs a package for production, with those of this repository that it needs and the registry may not have yet. */
function install(one: Package): string {
  const place = mkdtempSync(join(tmpdir(), 'querygate-installation-'));
  writeFileSync(
    join(place, 'package.json'),
    '{ "name": "querygate-installation", "version": "0.0.0", "private": true }\n',
  );
  const { dependencies = {}, peerDependencies = {} } = JSON.parse(
    readFileSync(join(one.folder, 'package.json'), 'utf8'),
  ) as Readonly<Partial<Record<string, Readonly<Record<string, string>>>>>;
  // The gateway has those that it needs inside of it.
  const needed = one.name === 'querygate' ? {} : { ...dependencies, ...peerDependencies };
  const tarballs = packages
    .filter(({ name }) => name === one.name || name in needed)
    .map((each) => resolve(folder, tarballOf(each)));
  const args = ['install', '--omit=dev', '--no-audit', '--no-fund', '--loglevel', 'error', ...tarballs];
  execFileSync('npm', args, { cwd: place, stdio: ['ignore', 'ignore', 'inherit'] });
  return place;
}

function installedIn(place: string): readonly Installed[] {
  const { packages: entries } = JSON.parse(
    readFileSync(join(place, 'node_modules', '.package-lock.json'), 'utf8'),
  ) as {
    readonly packages: Readonly<Record<string, { readonly version: string; readonly license?: string }>>;
  };
  return Object.entries(entries).map(([path, { version, license = '' }]) => ({
    name: path.replace(/^.*node_modules\//, ''),
    version,
    license,
    bytes: bytesOf(join(place, path)),
  }));
}

/** Without the packages inside of it, which are counted themselves. */
function bytesOf(path: string): number {
  return globSync('**/*', { cwd: path, withFileTypes: true, exclude: ({ name }) => name === 'node_modules' })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}

/** What an installation of the gateway contains: as CycloneDX in the folder, and as a list here, the largest first. */
function describe(place: string, all: readonly Installed[]): void {
  const sbom = execFileSync('npm', ['sbom', '--sbom-format', 'cyclonedx', '--omit', 'dev'], {
    cwd: place,
    encoding: 'utf8',
  });
  writeFileSync(join(folder, 'sbom.cdx.json'), sbom);
  const { components, specVersion } = JSON.parse(sbom) as {
    readonly components: readonly unknown[];
    readonly specVersion: string;
  };
  const list = all
    .toSorted((a, b) => b.bytes - a.bytes)
    .map(({ name, version, license, bytes }) => `  ${size(bytes).padStart(8)} ${name} ${version} ${license}`);
  print(
    `\nsbom.cdx.json: CycloneDX ${specVersion}, ${components.length} components; an installation of querygate contains\n${list.join('\n')}\n`,
  );
}

function size(bytes: number): string {
  return bytes < 1e6 ? `${(bytes / 1e3).toFixed(0)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

function fail(message: string): void {
  process.stderr.write(`${message}\n`);
  process.exitCode = 1;
}
