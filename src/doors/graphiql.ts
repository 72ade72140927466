import type { Catalog } from '../catalog/saved-query.ts';
import { graphqlExamples } from './examples.ts';

/** True where a browser asks for a page, not a program for data. */
export function isPageRequest({ method, headers }: Request): boolean {
  return method === 'GET' && (headers.get('accept') ?? '').includes('text/html');
}

/**
 * GraphiQL as one page that loads nothing from elsewhere, with a tab for every saved query.
 *
 * @param apiKey filled in where it may be shown to whoever opens the page
 */
export async function graphiqlPage(catalog: Catalog, apiKey: string | undefined): Promise<Response> {
  // Nine megabytes of page: read only when somebody opens it.
  const { renderGraphiQL } = await import('@graphql-yoga/render-graphiql');
  const headers = JSON.stringify({ 'X-API-KEY': apiKey ?? '' }, null, 2);
  const options = {
    title: 'Querygate',
    headers,
    defaultHeaders: headers,
    defaultTabs: graphqlExamples(catalog).map((query) => ({ query, headers })),
    defaultEditorToolsVisibility: 'headers',
  } as const;
  const embedded = JSON.stringify(options);
  // The page embeds the options in a script: text in them must not be able to end it.
  const page = renderGraphiQL(options).replace(embedded, () => embedded.replaceAll('<', '\\u003c'));
  return new Response(page, {
    headers: { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' },
  });
}
