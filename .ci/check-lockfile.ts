/**
 * Checks what a lockfile installs: `node .ci/check-lockfile.ts [file]…`. Exits with 1 and one line for each problem.
 */
import { readFileSync } from 'node:fs';
import { type LockedPackage, type Lockfile, packagesOf } from './lockfile.ts';

/** Licences (SPDX) of packages that an MIT project may ship. */
const shippable = [
  ...['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'BlueOak-1.0.0', 'CC0-1.0', 'ISC', 'MIT'],
  'Unlicense',
];

/** Licences of tools that only build and test the project; MPL-2.0 binds changes of its own files. */
const usable = [...shippable, 'MPL-2.0', 'Python-2.0', 'CC-BY-4.0'];

/** What is wrong with a lockfile, one line for each problem. */
export function lockfileProblems(lock: Lockfile): readonly string[] {
  return packagesOf(lock).flatMap(({ name, entry }) => {
    const problems: string[] = [];
    if (!/^sha512-[\w+/]{86}==$/.test(entry.integrity ?? ''))
      problems.push('has no SHA-512; run npm run lock');
    if (entry.resolved !== undefined) problems.push('names a registry');
    if (entry.engines !== undefined) problems.push('has engines; run npm run lock');
    if (entry.hasInstallScript) problems.push('runs a script when it is installed');
    if (!isLicensed(entry)) problems.push(`has the licence ${entry.license ?? '(none)'}`);
    return problems.map((problem) => `${name}@${entry.version}: ${problem}`);
  });
}

function isLicensed({ license = '', dev = false }: LockedPackage): boolean {
  const accepted = dev ? usable : shippable;
  // A choice between licences is fine if one of them is; an expression with AND or WITH is looked at by a person.
  return license
    .replace(/^\((.*)\)$/, '$1')
    .split(' OR ')
    .some((one) => accepted.includes(one));
}

if (import.meta.main) {
  const files = process.argv.slice(2);
  for (const file of files.length > 0 ? files : ['package-lock.json']) {
    for (const problem of lockfileProblems(JSON.parse(readFileSync(file, 'utf8')))) {
      process.stderr.write(`${file}: ${problem}\n`);
      process.exitCode = 1;
    }
  }
}
