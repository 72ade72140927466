import { readFileSync } from 'node:fs';
import { queriesByName } from '../../catalog/model/versions.ts';
import type { GatewayPlugin } from '../../gateway/plugin.ts';
import { graphqlPath } from '../../http/message/paths.ts';
import type { Answer } from '../../http/message/route.ts';
import { readerPath } from '../openapi/openapi.ts';
import { openBuiltFiles } from '../static/built-files.ts';
import { buildAnswerByLoopback, buildPage } from '../static/page.ts';
import type { ReplyFile } from '../static/static-file.ts';
import type { StaticFiles } from '../static/static-files.ts';

/** Lists the endpoints. */
const homePath = '/';
/** Followed by the name of a saved query. */
const queryPagePath = '/queries/';

/** How the pages of saved queries are served. */
export interface PagesOptions {
  /** A key that is filled in for browsers on this machine. Default: all users type theirs. */
  readonly apiKey?: string | undefined;
  /** Whether the pages link to GraphiQL. Default: false. */
  readonly graphiql?: boolean;
}

/**
 * A page for each saved query, with a form, a chart and a table: `/queries/<name>`, and `/` lists them.
 *
 * @returns a plug-in for one gateway
 */
export function pages(options: PagesOptions = {}): GatewayPlugin {
  const files = openBuiltFiles('pages');
  return {
    name: 'pages',
    routes({ queries }, { basePath }) {
      const names = queriesByName(queries);
      const loggedPath = (path: string) => (names.has(path.slice(queryPagePath.length)) ? path : undefined);
      const answer = buildAnswer(options, files, basePath);
      const forBrowsers = { access: 'public', browsersOnly: true, answer } as const;
      return [
        { ...forBrowsers, path: homePath },
        { ...forBrowsers, path: `${queryPagePath}*`, loggedPath },
        files.route,
      ];
    },
  };
}

/** The same document for every page: its script reads the address. It contains nothing of the catalog. */
function buildAnswer(
  { apiKey, graphiql = false }: PagesOptions,
  files: StaticFiles,
  basePath: string,
): Answer {
  const urlOf = (path: string) => escapeAttribute(basePath + path);
  const assetOf = (name: string) => urlOf(files.pathOf(name));
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
    // Programs get 404 at these addresses.
    return buildPage(html, allowed, key === undefined ? 'private, no-cache' : 'no-store', { vary: 'Accept' });
  };
  return buildAnswerByLoopback(
    () => render(apiKey),
    () => render(undefined),
  );
}

/** The pages run their own scripts, send requests to this service, and never make markup of a text. */
const allowed = [
  "script-src 'self'",
  "style-src 'self'",
  // A chart that is saved as PNG is an image first.
  "img-src 'self' blob:",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
];

const escapeAttribute = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
