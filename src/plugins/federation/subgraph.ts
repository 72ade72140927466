import type { Catalog } from '../../catalog/model/saved-query.ts';
import { runSteps } from '../../concurrency/loop-turns.ts';
import { buildSchema } from '../../http/graphql/schema/schema.ts';
import { buildExtendSchema } from './extend-schema.ts';
import { type Dialect, subgraphSdl } from './subgraph-sdl.ts';

/** The schema of a catalog with the directives of a dialect, as routers read it. */
export function printSubgraph(catalog: Catalog, dialect: Dialect = 'federation'): string {
  const schema = buildSchema(catalog, buildExtendSchema(undefined));
  return runSteps(subgraphSdl(schema, catalog, dialect));
}
