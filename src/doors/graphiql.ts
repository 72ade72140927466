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
  const page = renderGraphiQL(options)
    // The page embeds the options in a script: text in them must not be able to end it.
    .replace(embedded, () => embedded.replaceAll('<', '\\u003c'))
    .replace('<head>', () => `<head><script>${forgetTabs}</script>`);
  return new Response(page, {
    headers: { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' },
  });
}

/**
 * GraphiQL remembers its tabs without their headers, and opens an empty one beside them: every visit starts afresh. What
 * was run stays in its history.
 */
const forgetTabs =
  "for (const part of ['tabState', 'query', 'variables', 'headers']) localStorage.removeItem('graphiql:' + part);";
