import type { Catalog } from './catalog/saved-query.ts';
import { restExamples } from './http/examples.ts';
import { graphqlPath } from './http/graphql/graphql.ts';

/**
 * What the start prints: where the doors are, and lines that can be pasted as they stand.
 *
 * @param shownKey the key itself, or a shell variable that holds it
 * @param graphiql whether there is a page for browsers
 */
export function welcome(catalog: Catalog, origin: string, shownKey: string, graphiql: boolean): string {
  const lines = restExamples(catalog).map(
    (path) => `  curl -s -H "X-API-KEY: ${shownKey}" "${origin}${path}"`,
  );
  const graphql = `  curl -s -H "X-API-KEY: ${shownKey}" -H "Content-Type: application/json" -d '{"query":"{ endpoints { name description } }"}' "${origin}${graphqlPath}"`;
  const page = `GraphiQL, in a browser (header X-API-KEY: ${shownKey}):
  ${origin}${graphqlPath}

`;
  return `
Querygate is ready.

${graphiql ? page : ''}REST:
${lines.join('\n')}

GraphQL:
${graphql}

`;
}
