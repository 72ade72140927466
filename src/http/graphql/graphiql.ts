import { createHash } from 'node:crypto';
import type { Catalog } from '../../catalog/saved-query.ts';
import { graphqlExamples } from '../examples.ts';
import type { Reply } from '../reply.ts';

/**
 * GraphiQL as a single page that loads nothing from other sites, with a tab for every saved query.
 *
 * @returns renders the page; the key, if given, is filled in and visible to everyone who opens it
 */
export function buildGraphiqlPage(catalog: Catalog): (apiKey: string | undefined) => Promise<Reply> {
  // Nine megabytes: rendered once, when the page is first opened.
  const pages = new Map<string | undefined, Promise<Reply>>();
  return (apiKey) => {
    const page = pages.get(apiKey) ?? renderPage(catalog, apiKey);
    pages.set(apiKey, page);
    return page;
  };
}

async function renderPage(catalog: Catalog, apiKey: string | undefined): Promise<Reply> {
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
    // The page embeds the options in a script: no text in them may end it.
    .replace(embedded, () => embedded.replaceAll('<', '\\u003c'))
    .replace('<head>', () => `<head><script>${clearTabs}</script>`);
  const body = Buffer.from(page);
  return {
    status: 200,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-length': String(body.byteLength),
      'cache-control': 'no-store',
      vary: 'Accept',
      'content-security-policy': pagePolicy(page),
    },
    body,
  };
}

/**
 * What the page may do: run its own two scripts, identified by their hashes, and send requests to this service. Its editor
 * writes styles and starts workers from what the page contains.
 */
function pagePolicy(page: string): string {
  const scripts = [...page.matchAll(/<script>(?<text>.*?)<\/script>/gs)].map(
    ({ groups }) =>
      `'sha256-${createHash('sha256')
        .update(groups?.text ?? '')
        .digest('base64')}'`,
  );
  return [
    "default-src 'none'",
    `script-src ${scripts.join(' ')}`,
    "style-src 'unsafe-inline'",
    'img-src data:',
    'font-src data:',
    'worker-src blob:',
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/**
 * GraphiQL would restore its tabs without their headers, and open an empty one beside them: it starts with the examples
 * each time instead. Operations that were run stay in its history.
 */
const clearTabs =
  "for (const part of ['tabState', 'query', 'variables', 'headers']) localStorage.removeItem('graphiql:' + part);";
