import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Catalog } from '../../catalog/model/saved-query.ts';
import type { GatewayPlugin } from '../../gateway/plugin.ts';
import { isFromLoopback } from '../../http/access/loopback.ts';
import { graphqlExamples } from '../../http/graphql/examples.ts';
import { graphqlPath } from '../../http/message/paths.ts';
import type { Reply } from '../../http/message/reply.ts';
import type { Answer } from '../../http/message/route.ts';
import { builtFile, openBuiltFiles } from '../static/built-files.ts';
import { buildReplyFile, type ReplyFile } from '../static/static-file.ts';
import type { StaticFiles } from '../static/static-files.ts';

/** How the page of GraphiQL is served. */
export interface GraphiqlOptions {
  /** A key that is filled in for browsers on this machine. Default: all users type theirs. */
  readonly apiKey?: string | undefined;
}

/**
 * The page of GraphiQL: browsers get it at `/graphql`.
 *
 * @returns a plug-in for one gateway
 */
export function graphiql({ apiKey }: GraphiqlOptions = {}): GatewayPlugin {
  const files = openBuiltFiles('graphiql');
  return {
    name: 'graphiql',
    routes: (catalog) => [
      {
        path: graphqlPath,
        access: 'public',
        browsersOnly: true,
        // The page may contain the key: no page of another origin may read it.
        allowsCors: false,
        answer: buildPage(files, catalog, apiKey),
      },
      files.route,
    ],
  };
}

/**
 * A small page for browsers on this machine, with a tab for every saved query, and with the key if there is one to fill in.
 * That for others shows nothing of the catalog before its user has entered a key.
 */
function buildPage(files: StaticFiles, catalog: Catalog, apiKey: string | undefined): Answer {
  const render = (data: PageData, caching: string): ReplyFile => {
    const page = renderPage(files, data);
    return buildReplyFile(page, pageHeaders(page, caching));
  };
  let local: ReplyFile | undefined;
  let remote: ReplyFile | undefined;
  return (head, { url }) => {
    if (isFromLoopback(url, head)) {
      // Nothing keeps a page with a key in it.
      const caching = apiKey === undefined ? revalidated : 'no-store';
      local ??= render({ examples: graphqlExamples(catalog), apiKey }, caching);
      return local(head.headers);
    }
    remote ??= render({ examples: [] }, revalidated);
    return remote(head.headers);
  };
}

const revalidated = 'private, no-cache';

/** What the page's script reads: `packages/pages/graphiql/src/page-data.ts`. */
interface PageData {
  readonly examples: readonly string[];
  readonly apiKey?: string | undefined;
}

function renderPage(files: StaticFiles, data: PageData): Buffer {
  // Relative, so that a proxy may serve the gateway below a path.
  const urlOf = (name: string) => `.${files.pathOf(name)}`;
  const preloaded: readonly string[] = JSON.parse(
    readFileSync(builtFile('graphiql', 'preload.json'), 'utf8'),
  );
  return Buffer.from(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Querygate</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${urlOf('graphiql.css')}">
${preloaded.map((name) => `<link rel="modulepreload" href="${urlOf(name)}">`).join('\n')}
</head>
<body>
<div id="root"><noscript>GraphiQL needs JavaScript.</noscript></div>
<script type="application/json" id="page-data">${JSON.stringify(data).replaceAll('<', '\\u003c')}</script>
<script type="module">${importOf(urlOf('graphiql.js'))}</script>
</body>
</html>
`);
}

const importOf = (url: string) => `import '${url}';`;

/**
 * What the page may do: run its own script, identified by its hash, load its files, and send requests to this service. Its
 * editor writes styles. `'self'` lets no text of a result run: nothing but the files of pages is served as a script.
 */
function pageHeaders(page: Buffer, caching: string): Reply['headers'] {
  const script = /<script type="module">(?<text>.*?)<\/script>/s.exec(page.toString())?.groups?.text ?? '';
  const policy = [
    "default-src 'none'",
    `script-src 'sha256-${hash('sha256', script, 'base64')}' 'self'`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    "worker-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ];
  return {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': caching,
    'content-security-policy': policy.join('; '),
    vary: 'Accept',
  };
}
