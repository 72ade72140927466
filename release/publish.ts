import { execFileSync, spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { packages, tarballOf, versionOf } from './packages.ts';

/**
 * Publishes what `release/pack.ts` has packed, to the registry that npm is configured with: `node release/publish.ts [folder]`.
 * What the registry has already is left out, so that a release that was interrupted is run again.
 *
 * On GitHub, npm identifies the workflow by its OIDC token, so that no token of npm exists, and
 * `NPM_CONFIG_PROVENANCE=true` signs where each package was built.
 */
const folder = process.argv[2] ?? 'build';

/** The first npm that gets its right to publish from an OIDC token. */
const requiredNpm = '11.5.1';
const npm = execFileSync('npm', ['--version'], { encoding: 'utf8' }).trim();
if (npm.localeCompare(requiredNpm, 'en', { numeric: true }) < 0)
  throw new Error(`npm ${npm} does not know trusted publishing; ${requiredNpm} or newer does`);

for (const one of packages) {
  const version = versionOf(one);
  const spec = `${one.name}@${version}`;
  if (isPublished(spec)) {
    process.stdout.write(`${spec} is published already\n`);
    continue;
  }
  // Without a tag of its own, a preview would become what `npm install` installs.
  const tag = version.includes('-') ? 'next' : 'latest';
  const args = ['--ignore-scripts', '--access', 'public', '--tag', tag];
  execFileSync('npm', ['publish', resolve(folder, tarballOf(one)), ...args], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  process.stdout.write(`${spec} is published as ${tag}\n`);
}

function isPublished(spec: string): boolean {
  const { stdout } = spawnSync('npm', ['view', spec, 'version'], { encoding: 'utf8' });
  return stdout.trim() !== '';
}
