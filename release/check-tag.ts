import { globSync, readFileSync } from 'node:fs';
import { packages, versionOf } from './packages.ts';

/** The parts of a release, beside its tag. */
export interface Release {
  /** The version of each package, by its name. */
  readonly versions: ReadonlyMap<string, string>;
  readonly changelog: string;
  /** Files of changes that have no version yet. */
  readonly changesets: readonly string[];
}

/** Why a tag cannot be released, a line each. */
export function tagProblems(tag: string, { versions, changelog, changesets }: Release): readonly string[] {
  const others = [...versions].filter(([, version]) => tag !== `v${version}`);
  return [
    ...others.map(([name, version]) => `${name} has the version ${version}, so that its tag is v${version}`),
    ...changesets.map((file) => `${file} has no version yet: npm run release`),
    ...(others.length === 0 && notesOf(tag, changelog) === ''
      ? [`CHANGELOG.md has no section "## ${tag.slice(1)}"`]
      : []),
  ];
}

/** @returns what the changelog says of a version; an empty text if it has nothing */
export function notesOf(tag: string, changelog: string): string {
  const sections = changelog.split(/^## /m).slice(1);
  const section = sections.find((one) => one.startsWith(`${tag.slice(1)}\n`)) ?? '';
  return section.slice(section.indexOf('\n') + 1).trim();
}

/** Checks a tag, and prints the notes of its release: `node release/check-tag.ts v0.1.0`. */
if (import.meta.main) {
  const tag = process.argv[2] ?? '';
  const changelog = readFileSync('CHANGELOG.md', 'utf8');
  const problems = tagProblems(tag, {
    versions: new Map(packages.map((one) => [one.name, versionOf(one)])),
    changelog,
    changesets: globSync('.changeset/*.md', { exclude: ['.changeset/README.md'] }),
  });
  if (problems.length === 0) process.stdout.write(`${notesOf(tag, changelog)}\n`);
  for (const problem of problems) process.stderr.write(`${tag} is not released: ${problem}\n`);
  process.exitCode = problems.length === 0 ? 0 : 1;
}
