import { readFileSync } from 'node:fs';
import { queriesByName } from '../../catalog/model/versions.ts';
import type { GatewayPlugin } from '../../gateway/plugin.ts';
import { isFromLoopback } from '../../http/access/loopback.ts';
import { graphqlPath, homePath, queryPagePath, readerPath } from '../../http/message/paths.ts';
import type { Answer } from '../../http/message/route.ts';
import { buildReplyFile, type ReplyFile } from '../../http/static/static-file.ts';
import { assetsRoute, buildStaticFiles } from '../../http/static/static-files.ts';
import { readBuiltFiles } from '../../http/static/built-files.ts';

interface Pages {
  /** The same document for every page: its script reads the address. It contains nothing of the catalog. */
  readonly page: Answer;
  /** What it loads. */
  readonly assets: Answer;
}

/** How the pages of saved queries are served. */
export interface PagesOptions {
  /** A key that is filled in for browsers on this machine. Default: all users type theirs. */
  readonly apiKey?: string | undefined;
  /** Whether the pages link to GraphiQL. Default: false. */
  readonly graphiql?: boolean;
}

/** The name of the pages' set of files. */
const pagesSet = 'pages';

/**
 * A page for each saved query, with a form, a chart and a table: `/queries/<name>`, and `/` lists them.
 *
 * @returns a plug-in for one gateway
 */
export function pages(options: PagesOptions = {}): GatewayPlugin {
  let basePath = '';
  const { page, assets } = buildPages(options, () => basePath);
  const forBrowsers = { access: 'public', browsersOnly: true, answer: page } as const;
  return {
    name: 'pages',
    open(host) {
      basePath = host.basePath;
    },
    routes({ queries }) {
      const names = queriesByName(queries);
      const loggedPath = (path: string) => (names.has(path.slice(queryPagePath.length)) ? path : undefined);
      return [
        { ...forBrowsers, path: homePath },
        { ...forBrowsers, path: `${queryPagePath}*`, loggedPath },
        assetsRoute(pagesSet, assets),
      ];
    },
  };
}

/** @param basePath before each path */
function buildPages({ apiKey, graphiql = false }: PagesOptions, basePath: () => string): Pages {
  const assets = buildStaticFiles(pagesSet, () => readBuiltFiles('pages'));
  const urlOf = (path: string) => escapeAttribute(basePath() + path);
  const assetOf = (name: string) => urlOf(assets.pathOf(name));
  const render = (key: string | undefined): ReplyFile => {
    const head = [
      `<link rel="icon" href="${assetOf('mark.svg')}">`,
      `<link rel="stylesheet" href="${assetOf('page.css')}">`,
      `<script type="module" src="${assetOf('pages.js')}"></script>`,
      ...(key === undefined ? [] : [`<meta name="querygate-key" content="${escapeAttribute(key)}">`]),
    ];
    const links = [
      `<a href="${urlOf(readerPath)}">OpenAPI</a>`,
      ...(graphiql ? [`<a href="${urlOf(graphqlPath)}">GraphiQL</a>`] : []),
    ];
    const html = readFileSync(new URL('page.html', import.meta.url), 'utf8')
      .replace('href="/"', `href="${urlOf(homePath)}"`)
      .replace('<!--assets-->', () => head.join('\n'))
      .replace('<!--links-->', links.join(' '));
    return buildReplyFile(Buffer.from(html), {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policy,
      // Programs get 404 at these addresses.
      vary: 'Accept',
      'cache-control': key === undefined ? 'private, no-cache' : 'no-store',
    });
  };
  let local: ReplyFile | undefined;
  let remote: ReplyFile | undefined;
  return {
    page(head, { url }) {
      if (apiKey !== undefined && isFromLoopback(url, head)) {
        local ??= render(apiKey);
        return local(head.headers);
      }
      remote ??= render(undefined);
      return remote(head.headers);
    },
    assets: assets.answer,
  };
}

/** The pages run their own scripts, send requests to this service, and never make markup of a text. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

const escapeAttribute = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
