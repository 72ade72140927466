import { runSteps } from '../../../concurrency/loop-turns.ts';
import type { Catalog } from '../../../catalog/model/saved-query.ts';
import type { BuildCompileEntities } from '../compiled/operation-request.ts';
import { buildSchemaInSteps } from '../schema/schema.ts';
import type { ExtendSchema } from '../schema/schema-extension.ts';
import { buildCompileEntities } from './compile-entities.ts';
import { buildExtendSchema } from './extend-schema.ts';
import { subgraphSdl } from './subgraph-sdl.ts';

/** What makes GraphQL a subgraph of Federation 2. */
export interface Federation {
  readonly extendSchema: ExtendSchema;
  readonly buildCompileEntities: BuildCompileEntities;
}

/** @param introspection whether callers may query the schema */
export const buildFederation = (introspection: boolean): Federation => ({
  extendSchema: buildExtendSchema(introspection ? printSubgraph : undefined),
  buildCompileEntities,
});

/** The schema of a catalog with the directives of Federation, as routers read it. */
export function printSubgraph(catalog: Catalog): string {
  return subgraphSdl(runSteps(buildSchemaInSteps(catalog, buildExtendSchema(undefined))), catalog);
}
