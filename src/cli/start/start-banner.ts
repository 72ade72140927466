import type { Catalog } from '../../catalog/model/saved-query.ts';
import { restExamples } from '../../http/graphql/examples.ts';
import { graphqlPath, homePath } from '../../http/message/paths.ts';

/**
 * What the gateway prints when it is ready: its endpoints, with commands to paste into a shell.
 *
 * @param shownKey the key itself, or a shell variable that contains it
 * @param served which pages are on
 */
export function startBanner(
  catalog: Catalog,
  origin: string,
  shownKey: string,
  served: { readonly pages: boolean; readonly graphiql: boolean },
): string {
  const rest = restExamples(catalog).map(
    (path) => `  curl -s -H "X-API-KEY: ${shownKey}" "${origin}${path}"`,
  );
  const graphql = `  curl -s -H "X-API-KEY: ${shownKey}" -H "Content-Type: application/json" -d '{"query":"{ endpoints { name description } }"}' "${origin}${graphqlPath}"`;
  const pages = `Pages of the saved queries, in a browser:
  ${origin}${homePath}

`;
  const graphiql = `GraphiQL, in a browser (header X-API-KEY: ${shownKey}):
  ${origin}${graphqlPath}

`;
  return `
Querygate is ready.

${served.pages ? pages : ''}${served.graphiql ? graphiql : ''}REST:
${rest.join('\n')}

GraphQL:
${graphql}

`;
}
