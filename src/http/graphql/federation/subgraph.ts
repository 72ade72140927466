import { type LoopTurns, runSteps } from '../../../concurrency/loop-turns.ts';
import type { Catalog } from '../../../catalog/model/saved-query.ts';
import { buildSchemaInSteps } from '../schema/schema.ts';
import type { ExtendSchema } from '../schema/schema-extension.ts';
import { buildExtendSchema } from './extend-schema.ts';
import { type Dialect, subgraphSdl } from './subgraph-sdl.ts';

/** What makes GraphQL a subgraph of Federation 2. */
export interface Federation {
  readonly extendSchema: ExtendSchema;
}

/** @param introspection whether callers may query the schema, which is printed in turns then */
export const buildFederation = (introspection: boolean, turns: LoopTurns): Federation => ({
  extendSchema: buildExtendSchema(
    introspection
      ? (schema, catalog, owner) => turns.run(owner, subgraphSdl(schema, catalog, 'federation'))
      : undefined,
  ),
});

/** The schema of a catalog with the directives of a dialect, as routers read it. */
export function printSubgraph(catalog: Catalog, dialect: Dialect = 'federation'): string {
  const schema = runSteps(buildSchemaInSteps(catalog, buildExtendSchema(undefined)));
  return runSteps(subgraphSdl(schema, catalog, dialect));
}
