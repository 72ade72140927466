import type { Catalog } from './catalog/saved-query.ts';
import { restExamples } from './http/examples.ts';
import { graphqlPath } from './http/paths.ts';

/**
 * What the gateway prints when it is ready: its endpoints, with commands to paste into a shell.
 *
 * @param shownKey the key itself, or a shell variable that contains it
 * @param graphiql whether GraphiQL is served
 */
export function startBanner(catalog: Catalog, origin: string, shownKey: string, graphiql: boolean): string {
  const rest = restExamples(catalog).map(
    (path) => `  curl -s -H "X-API-KEY: ${shownKey}" "${origin}${path}"`,
  );
  const graphql = `  curl -s -H "X-API-KEY: ${shownKey}" -H "Content-Type: application/json" -d '{"query":"{ endpoints { name description } }"}' "${origin}${graphqlPath}"`;
  const page = `GraphiQL, in a browser (header X-API-KEY: ${shownKey}):
  ${origin}${graphqlPath}

`;
  return `
Querygate is ready.

${graphiql ? page : ''}REST:
${rest.join('\n')}

GraphQL:
${graphql}

`;
}
