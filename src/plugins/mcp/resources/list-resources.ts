import type { Principal } from '../../../keys/principal.ts';
import type { ToolNames } from '../calls/tool-names.ts';
import { catalogUri, queryUri, schemaUri } from './uris.ts';

/** The resources of a key, as the JSON text of an array: what can be said of its queries, and of the tables for SQL. */
export function listResources(tools: ToolNames, principal: Principal): string {
  return JSON.stringify([
    {
      uri: catalogUri,
      name: 'catalog',
      description: 'The tools with their descriptions',
      mimeType: 'text/csv',
    },
    // Very many are found by the catalog.
    ...(tools.areSearched(principal) ? [] : tools.listed(principal)).map(
      ({ endpoint: { name, query }, takesSql }) =>
        takesSql
          ? {
              uri: schemaUri(name),
              name: `${name} tables`,
              description: `The tables and columns that SQL over ${name} may read`,
              mimeType: 'text/csv',
            }
          : { uri: queryUri(name), name, description: query.description, mimeType: 'application/json' },
    ),
  ]);
}
