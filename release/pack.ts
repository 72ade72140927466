import { execFileSync, type ExecFileSyncOptions } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { packages, tarballOf } from './packages.ts';

/**
 * Packs all packages into a folder as `npm pack` does it in each of them, but builds them once: `node release/pack.ts [folder]`.
 *
 * @returns the files, in the order in which they are published
 */
export function packAll(folder: string): readonly string[] {
  const options: ExecFileSyncOptions = { stdio: ['ignore', 'ignore', 'inherit'] };
  const node = (...args: readonly string[]) => execFileSync(process.execPath, args, options);
  mkdirSync(folder, { recursive: true });
  node('release/build.ts');
  node('release/published-manifest.ts', 'replace');
  try {
    const args = ['--ignore-scripts', '--loglevel', 'error', '--pack-destination', folder];
    execFileSync('npm', ['pack', ...args, ...packages.map((one) => `./${one.folder}`)], options);
  } finally {
    node('release/published-manifest.ts', 'restore');
  }
  return packages.map((one) => resolve(folder, tarballOf(one)));
}

if (import.meta.main)
  for (const file of packAll(process.argv[2] ?? 'build')) process.stdout.write(`${file}\n`);
