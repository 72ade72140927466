import type { Catalog } from './catalog/saved-query.ts';
import { restExamples } from './http/examples.ts';
import { graphqlPath } from './http/paths.ts';

/**
 * What the service prints at start: its addresses, and commands that can be pasted into a shell.
 *
 * @param shownKey the key itself, or the name of a shell variable that contains it
 * @param graphiql whether GraphiQL is on
 */
export function startBanner(catalog: Catalog, origin: string, shownKey: string, graphiql: boolean): string {
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
