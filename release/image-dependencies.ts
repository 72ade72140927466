import { readFileSync, writeFileSync } from 'node:fs';

/**
 * The container image exports traces, so that in it the packages for that are dependencies: `npm prune --omit=dev` keeps
 * them, in the versions of the lockfile.
 */
const { dependencies, devDependencies, peerDependencies, ...manifest } = JSON.parse(
  readFileSync('package.json', 'utf8'),
) as Record<'dependencies' | 'devDependencies' | 'peerDependencies', Readonly<Record<string, string>>>;

const isKept = ([name]: readonly [string, string]) => name.startsWith('@opentelemetry/');

const kept = Object.fromEntries(Object.entries(peerDependencies).filter(isKept));
const development = Object.fromEntries(Object.entries(devDependencies).filter((one) => !isKept(one)));
const image = { ...manifest, dependencies: { ...dependencies, ...kept }, devDependencies: development };
writeFileSync('package.json', `${JSON.stringify(image, null, 2)}\n`);
