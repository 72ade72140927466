import { globSync, readFileSync, writeFileSync } from 'node:fs';

/** What manifests, and entries of the lockfile, have of versions. */
interface Manifest {
  name?: string;
  version?: string;
  dependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
}

/** The manifests of all packages of the repository. */
export const manifests: readonly string[] = ['package.json', ...globSync('packages/*/package.json').sort()];

const lockfile = 'package-lock.json';

/** The files that `writeVersion` changes. */
export const versionedFiles: readonly string[] = [...manifests, lockfile];

/**
 * Writes one version to all packages, also where they depend on each other. npm would write its own only, and the lockfile
 * without the hashes for other platforms.
 */
export function writeVersion(version: string): void {
  const names = new Set(manifests.map((file) => readJson<Manifest>(file).name));
  const write = (manifest: Manifest) => {
    manifest.version = version;
    for (const ranges of [manifest.dependencies, manifest.peerDependencies])
      for (const name of Object.keys(ranges ?? {})) if (ranges && names.has(name)) ranges[name] = version;
  };
  for (const file of manifests) change<Manifest>(file, write);
  change<Manifest & { readonly packages: Record<string, Manifest> }>(lockfile, (lock) => {
    lock.version = version;
    for (const file of manifests) {
      const entry = lock.packages[file.replace(/\/?package\.json$/, '')];
      if (entry !== undefined) write(entry);
    }
  });
}

const readJson = <T>(file: string): T => JSON.parse(readFileSync(file, 'utf8')) as T;

function change<T>(file: string, apply: (content: T) => void): void {
  const content = readJson<T>(file);
  apply(content);
  writeFileSync(file, `${JSON.stringify(content, null, 2)}\n`);
}
