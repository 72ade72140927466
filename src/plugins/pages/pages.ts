import { readFileSync } from 'node:fs';
import { queriesByName } from '../../catalog/model/versions.ts';
import { getOrAdd } from '../../get-or-add.ts';
import { checkOptions, optionRule } from '../../config/option-rules.ts';
import type { GatewayPlugin } from '../../gateway/plugin.ts';
import type { Answer, PluginRoute } from '../../http/message/route.ts';
import type { MetricsPlugin } from '../metrics/metrics.ts';
import { openBuiltFiles } from './static/built-files.ts';
import { buildAnswerByLoopback, buildPage } from './static/page.ts';
import {
  agentsPath,
  escapeAttribute,
  readerPath,
  rootOf,
  siteHeader,
  sqlPath,
  takesSql,
} from './static/site.ts';
import { explainPath, explainRoute } from './explain-sql.ts';
import type { ReplyFile } from './static/static-file.ts';
import { buildUse } from './use.ts';

/** Lists the endpoints. */
const homePath = '/';
/** Followed by the name of a saved query. */
const queryPagePath = '/queries/';
/** Followed by the name of a saved query, whose chart other sites may show. */
const embedPath = '/embed/';

/** How the pages of saved queries are served. */
export interface PagesOptions {
  /** A key that is filled in for browsers on this machine. Default: all users type theirs. */
  readonly apiKey?: string | undefined;
  /** True if the pages link to GraphiQL. Default: false. */
  readonly graphiql?: boolean;
  /** True if there is a page that shows how agents connect: with the plug-in `mcp()`. Default: false. */
  readonly agents?: boolean;
  /** The plug-in whose counts the list of endpoints shows. Default: the list has no counts of requests. */
  readonly metrics?: Pick<MetricsPlugin, 'families'> | undefined;
  /**
   * Origins whose pages may show a chart in a frame, at `/embed/<name>`. Default: none, and the page does not exist.
   */
  readonly embedOrigins?: readonly string[];
}

/**
 * A page for each saved query, with a form, a chart and a table: `/queries/<name>`. `/` lists them with their use, `/openapi`
 * shows the OpenAPI document, `/sql` runs SQL over saved queries that take it, and browsers get a page where there is nothing.
 *
 * @returns a plug-in for one gateway
 * @throws StartError with every option of a wrong name or kind
 */
export function pages(options: PagesOptions = {}): GatewayPlugin {
  checkOptions<PagesOptions>('pages', options, {
    apiKey: optionRule.text,
    graphiql: optionRule.boolean,
    agents: optionRule.boolean,
    metrics: { is: hasFamilies, must: 'a plug-in, as in metrics()' },
    embedOrigins: optionRule.pageOrigins,
  });
  const { metrics } = options;
  const embedOrigins = (options.embedOrigins ?? []).map((one) => new URL(one).origin);
  const use = buildUse(() => metrics?.families() ?? []);
  return {
    name: 'pages',
    onRun: use.openRun,
    onCatalog: use.replaceCatalog,
    routes(catalog, host) {
      const { queries } = catalog;
      const { basePath } = host;
      const sql = takesSql(catalog);
      const names = queriesByName(queries);
      const loggedBelow = (start: string) => (path: string) =>
        names.has(path.slice(start.length)) ? path : undefined;
      const render = pageRenderer(options, sql);
      const answer = answerByRoot(basePath, (root) =>
        buildAnswerByLoopback(
          () => render(root, { apiKey: options.apiKey }),
          () => render(root, {}),
        ),
      );
      const forBrowsers = { access: 'public', browsersOnly: true, answer } as const;
      return [
        { ...forBrowsers, path: homePath },
        { ...forBrowsers, path: readerPath },
        ...(sql
          ? [{ ...forBrowsers, path: sqlPath }, explainRoute(catalog, host, loggedBelow(explainPath))]
          : []),
        ...(options.agents ? [{ ...forBrowsers, path: agentsPath }] : []),
        { ...forBrowsers, path: `${queryPagePath}*`, loggedPath: loggedBelow(queryPagePath) },
        {
          ...forBrowsers,
          path: '/**',
          isFallback: true,
          answer: notFound(answer),
          loggedPath: () => undefined,
        },
        ...(embedOrigins.length === 0
          ? []
          : [embedRoute(render, basePath, embedOrigins, loggedBelow(embedPath))]),
        use.route(queries),
        files.route,
      ];
    },
  };
}

const hasFamilies = (value: unknown): boolean =>
  typeof (value as Partial<MetricsPlugin> | null)?.families === 'function';

const files = openBuiltFiles('pages');

/** The same page, whose script finds that nothing is there. */
const notFound =
  (answer: Answer): Answer =>
  async (...request) => {
    const { headers, body } = await answer(...request);
    const { etag: _, ...others } = headers;
    return { status: 404, headers: others, body };
  };

/** The links of a page depend on how deep its address is. */
function answerByRoot(basePath: string, answerAt: (root: string) => Answer): Answer {
  const answers = new Map<string, Answer>();
  return (head, request, ...others) => {
    const root = rootOf(basePath, request.url.pathname);
    return getOrAdd(answers, root, () => answerAt(root))(head, request, ...others);
  };
}

function embedRoute(
  render: ReturnType<typeof pageRenderer>,
  basePath: string,
  frameAncestors: readonly string[],
  loggedPath: PluginRoute['loggedPath'],
): PluginRoute {
  return {
    path: `${embedPath}*`,
    access: 'public',
    browsersOnly: true,
    answer: answerByRoot(basePath, (root) => {
      const page = render(root, { frameAncestors });
      return ({ headers }) => page(headers);
    }),
    ...(loggedPath && { loggedPath }),
  };
}

interface PageVariant {
  /** Written into the page. */
  readonly apiKey?: string | undefined;
  /** Of a page in a frame, which has no header. */
  readonly frameAncestors?: readonly string[];
}

/** The same document for every page but for its links: its script reads the address. It contains nothing of the catalog. */
function pageRenderer({ graphiql = false, agents = false }: PagesOptions, sql: boolean) {
  return (root: string, { apiKey, frameAncestors }: PageVariant): ReplyFile => {
    const assetOf = (name: string) => escapeAttribute(root + files.pathOf(name));
    const head = [
      `<link rel="icon" href="${assetOf('mark.svg')}">`,
      `<link rel="stylesheet" href="${assetOf('page.css')}">`,
      `<script type="module" src="${assetOf('pages.js')}"></script>`,
      ...(apiKey === undefined ? [] : [`<meta name="querygate-key" content="${escapeAttribute(apiKey)}">`]),
    ];
    const header = [
      '<a class="skip" id="skip" href="#main">Skip to the content</a>',
      siteHeader({ root, pages: true, graphiql, agents, sql }, forgetButton),
    ];
    const html = readFileSync(new URL('page.html', import.meta.url), 'utf8')
      .replace('<!--assets-->', () => head.join('\n'))
      .replace('<!--header-->', () => (frameAncestors === undefined ? header.join('\n') : ''));
    return buildPage(html, {
      allowed,
      caching: apiKey === undefined ? 'private, no-cache' : 'no-store',
      // Programs get 404 at these addresses.
      headers: { vary: 'Accept' },
      ...(frameAncestors && { frameAncestors }),
    });
  };
}

const forgetButton =
  '<button class="quiet" id="forget-key" type="button" hidden>Forget<span class="wide"> the</span> key</button>';

/** The pages run their own scripts, send requests to this service, and never make markup of a text. */
const allowed = [
  "script-src 'self'",
  "style-src 'self'",
  // A chart that is saved as PNG is an image first.
  "img-src 'self' blob:",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
];
