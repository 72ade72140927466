import { createHash } from 'node:crypto';
import type { Catalog } from '../../catalog/saved-query.ts';
import { graphqlExamples } from '../examples.ts';
import type { RequestHead } from '../head.ts';
import type { Reply } from '../reply.ts';
import { securityHeaders } from '../security-headers.ts';
import { graphqlPath } from './graphql.ts';

/** True where a browser asks for a page, not a program for data: some of these accept all that browsers do. */
export function isPageRequest({ method, url, header }: RequestHead): boolean {
  if (url?.pathname !== graphqlPath || (method !== 'GET' && method !== 'HEAD')) return false;
  return header('x-api-key') === undefined && (header('accept') ?? '').includes('text/html');
}

/**
 * GraphiQL as one page that loads nothing from elsewhere, with a tab for every saved query.
 *
 * @returns gives the page; a key is filled in where it may be shown to whoever opens it
 */
export function buildGraphiqlPage(catalog: Catalog): (apiKey: string | undefined) => Promise<Reply> {
  // Nine megabytes: made when somebody opens it, and once.
  const made = new Map<string | undefined, Promise<Reply>>();
  return (apiKey) => {
    const page = made.get(apiKey) ?? makePage(catalog, apiKey);
    made.set(apiKey, page);
    return page;
  };
}

async function makePage(catalog: Catalog, apiKey: string | undefined): Promise<Reply> {
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
  const body = Buffer.from(page);
  return {
    status: 200,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-length': String(body.byteLength),
      'cache-control': 'no-store',
      vary: 'Accept',
      ...securityHeaders,
      'content-security-policy': pagePolicy(page),
    },
    body,
  };
}

/**
 * What the page may do: run its own two scripts, known by their hashes, and ask this service. Its editor writes styles and
 * starts workers out of what the page holds.
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
 * GraphiQL remembers its tabs without their headers, and opens an empty one beside them: every visit starts afresh. What
 * was run stays in its history.
 */
const forgetTabs =
  "for (const part of ['tabState', 'query', 'variables', 'headers']) localStorage.removeItem('graphiql:' + part);";
