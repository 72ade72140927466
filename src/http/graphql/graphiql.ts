import { createHash, hash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Catalog } from '../../catalog/saved-query.ts';
import { graphqlExamples } from '../examples.ts';
import type { RequestHead } from '../head.ts';
import type { Reply } from '../reply.ts';

/** GraphiQL as a single page that loads nothing from other sites. */
export interface GraphiqlPages {
  /** For a browser on this machine: with a tab for every saved query, and with the key if there is one to fill in. */
  local(catalog: Catalog): Promise<Reply>;
  /** For anybody: it shows nothing of the catalog before its user has entered a key. */
  remote(head: RequestHead): Promise<Reply>;
}

/** @param apiKey is filled into the local page */
export function buildGraphiqlPages(apiKey: string | undefined): GraphiqlPages {
  // Nine megabytes: rendered once for a catalog, when the page is first opened.
  let local: { readonly catalog: Catalog; readonly page: Promise<Reply> } | undefined;
  let remote: Promise<CompressedPage> | undefined;
  return {
    local(catalog) {
      if (local?.catalog !== catalog) local = { catalog, page: renderPage(graphqlExamples(catalog), apiKey) };
      return local.page;
    },
    async remote({ headers }) {
      remote ??= renderPage([], undefined).then(compressPage);
      const { plain, compressed } = await remote;
      return /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i.test(headers['accept-encoding'] ?? '')
        ? compressed
        : plain;
    },
  };
}

interface CompressedPage {
  readonly plain: Reply;
  readonly compressed: Reply;
}

/** Everybody can ask for it again and again: browsers keep it, and get it compressed. */
async function compressPage({
  status,
  headers,
  body,
}: Reply & { readonly body: Buffer }): Promise<CompressedPage> {
  const [zipped, digest] = [await promisify(gzip)(body), hash('sha256', body, 'base64url')];
  const common = {
    ...headers,
    'cache-control': 'private, no-cache',
    etag: `W/"${digest}"`,
    vary: 'Accept, Accept-Encoding',
  };
  return {
    plain: { status, headers: common, body },
    compressed: {
      status,
      headers: { ...common, 'content-encoding': 'gzip', 'content-length': String(zipped.byteLength) },
      body: zipped,
    },
  };
}

async function renderPage(
  examples: readonly string[],
  apiKey: string | undefined,
): Promise<Reply & { readonly body: Buffer }> {
  const { renderGraphiQL } = await import('@graphql-yoga/render-graphiql');
  const headers = JSON.stringify({ 'X-API-KEY': apiKey ?? '' }, null, 2);
  const options = {
    title: 'Querygate',
    headers,
    defaultHeaders: headers,
    defaultTabs: examples.map((query) => ({ query, headers })),
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
