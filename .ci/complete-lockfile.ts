/**
 * Completes `package-lock.json` after `npm install --package-lock-only`, as part of `npm run lock`:
 *
 * - every package gets its integrity hash. npm writes hashes only for what it has installed on this machine, so that
 *   native code for other platforms would be installed unchecked;
 * - `engines` are removed. npm compares them with the Node that it runs on itself, but the packages run on the pinned one,
 *   and `npm run lock` has just compared them with that (`--engine-strict`).
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { type Lockfile, packagesOf } from './lockfile.ts';

const file = 'package-lock.json';
const lock: Lockfile = JSON.parse(readFileSync(file, 'utf8'));
for (const { name, entry } of packagesOf(lock)) {
  delete entry.engines;
  entry.integrity ??= integrityOf(`${name}@${entry.version}`);
}
writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);

function integrityOf(spec: string): string {
  const { stdout } = spawnSync('npm', ['view', spec, 'dist.integrity'], { encoding: 'utf8' });
  const integrity = stdout.trim();
  if (!integrity.startsWith('sha512-')) throw new Error(`${spec}: the registry has no SHA-512`);
  process.stdout.write(`${spec} ${integrity}\n`);
  return integrity;
}
