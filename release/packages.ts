import { existsSync, readFileSync } from 'node:fs';

/** A package of this repository that is built and published. */
export interface Package {
  readonly folder: string;
  readonly name: string;
  /** Files below `src/` that its modules read at run time. */
  readonly files: readonly string[];
  /** It has no `src` of its own that is built: what it has is committed as it is. */
  readonly isPrebuilt?: true;
}

const all: readonly Package[] = [
  { folder: 'packages/text', name: '@querygate/text', files: [] },
  { folder: 'packages/bigquery-sql', name: '@querygate/bigquery-sql', files: ['macros/sql'] },
  { folder: 'packages/duckdb-import', name: '@querygate/duckdb-import', files: [] },
  { folder: 'packages/pages', name: '@querygate/pages', files: [], isPrebuilt: true },
  { folder: '.', name: 'querygate', files: ['plugins/pages/page.html'] },
  { folder: 'packages/authoring', name: '@querygate/authoring', files: [] },
];

/** Packages that others import come first. The image is built without the tools for authors. */
export const packages: readonly Package[] = all.filter(({ folder }) => existsSync(`${folder}/package.json`));

/** @returns the version in the manifest of a package */
export const versionOf = ({ folder }: Package): string =>
  JSON.parse(readFileSync(`${folder}/package.json`, 'utf8')).version;

/** @returns the file that npm packs */
export const tarballOf = (one: Package): string =>
  `${one.name.replace('@', '').replace('/', '-')}-${versionOf(one)}.tgz`;
