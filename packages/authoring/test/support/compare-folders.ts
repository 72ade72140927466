import {
  type CatalogDiff,
  compareCatalogs,
  type Measure,
  type MeasureCosts,
  type Validate,
} from '../../src/diff/compare-catalogs.ts';
import { loadBefore } from '../../src/diff/load-before.ts';
import { parseCatalog } from 'querygate/catalog';
import { analyzed } from '../../../../test/support/engine-host.ts';
import type { CatalogFiles } from '../../src/catalog-types.ts';

type Texts = Readonly<Record<string, string>>;

export const asFiles = (texts: Texts): CatalogFiles =>
  new Map(Object.entries(texts).map(([path, text]) => [path, { text }]));

/** Compares two versions of a queries folder, given by the texts of their files. */
export function compareFolders(
  before: Texts,
  after: Texts,
  measure?: Measure,
  measureCosts?: MeasureCosts,
  validate?: Validate,
): Promise<CatalogDiff> {
  const files = asFiles(after);
  const catalog = parseCatalog('queries', files);
  const old = loadBefore('queries', asFiles(before), { files, catalog });
  return compareCatalogs(
    { ...old, catalog: analyzed(old.catalog) },
    analyzed(catalog),
    measure,
    measureCosts,
    validate,
  );
}

/** The changes of all endpoints: `<kind> <level in REST>/<level in GraphQL>`. */
export const verdictsOf = ({ endpoints }: CatalogDiff): readonly string[] =>
  endpoints.flatMap(({ changes }) => changes.map(({ kind, rest, graphql }) => `${kind} ${rest}/${graphql}`));
