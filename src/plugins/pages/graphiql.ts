import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Catalog } from '../../catalog/model/saved-query.ts';
import { checkOptions, optionRule } from '../../config/option-rules.ts';
import type { GatewayPlugin } from '../../gateway/plugin.ts';
import { graphqlExamples } from '../../gateway/examples.ts';
import { graphqlPath } from '../../http/message/paths.ts';
import type { Answer } from '../../http/message/route.ts';
import { builtFile, openBuiltFiles } from './static/built-files.ts';
import { buildAnswerByLoopback, buildPage } from './static/page.ts';
import { rootOf, type Site, siteHeader, takesSql } from './static/site.ts';
import type { StaticFiles } from './static/static-files.ts';

/** How the page of GraphiQL is served. */
export interface GraphiqlOptions {
  /** A key that is filled in for browsers on this machine. Default: all users type theirs. */
  readonly apiKey?: string | undefined;
  /** True if the page links to the pages of saved queries. Default: false. */
  readonly pages?: boolean;
  /** True if it links to the page for agents, which is one of them. Default: false. */
  readonly agents?: boolean;
}

/**
 * The page of GraphiQL: browsers get it at `/graphql`.
 *
 * @returns a plug-in for one gateway
 * @throws StartError with every option of a wrong name or kind
 */
export function graphiql(options: GraphiqlOptions = {}): GatewayPlugin {
  const { text, boolean } = optionRule;
  checkOptions<GraphiqlOptions>('graphiql', options, { apiKey: text, pages: boolean, agents: boolean });
  const { apiKey, pages = false, agents = false } = options;
  const files = openBuiltFiles('graphiql');
  return {
    name: 'graphiql',
    routes: (catalog, { basePath }) => [
      {
        path: graphqlPath,
        access: 'public',
        browsersOnly: true,
        // The page may contain the key: no page of another origin may read it.
        allowsCors: false,
        answer: buildAnswer(
          files,
          catalog,
          { root: rootOf(basePath, graphqlPath), pages, graphiql: true, agents, sql: takesSql(catalog) },
          apiKey,
        ),
      },
      files.route,
    ],
  };
}

/**
 * A small page for browsers on this machine, with a tab for every saved query, and with the key if there is one to fill in.
 * That for others shows nothing of the catalog before its user has entered a key.
 */
function buildAnswer(files: StaticFiles, catalog: Catalog, site: Site, apiKey: string | undefined): Answer {
  const render = (data: PageData) => {
    const page = renderPage(files, site, data);
    const caching = data.apiKey === undefined ? 'private, no-cache' : 'no-store';
    return buildPage(page, { allowed: allowedIn(page), caching, headers: { vary: 'Accept' } });
  };
  return buildAnswerByLoopback(
    () => render({ examples: graphqlExamples(catalog).map((example) => `${hint}${example}`), apiKey }),
    () => render({ examples: [] }),
  );
}

/** The page runs nothing by itself, since that may cost money: the half for the result is empty at first. */
const hint = '# Run it with \u25b6, Ctrl-Enter or \u2318-Enter.\n';

/** The data that the page's script reads: `packages/pages/graphiql/src/page-data.ts`. */
interface PageData {
  readonly examples: readonly string[];
  readonly apiKey?: string | undefined;
}

function renderPage(files: StaticFiles, site: Site, data: PageData): string {
  // Relative, so that a proxy may serve the gateway below a path.
  const urlOf = (name: string) => `.${files.pathOf(name)}`;
  const preloaded: readonly string[] = JSON.parse(
    readFileSync(builtFile('graphiql', 'preload.json'), 'utf8'),
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>GraphiQL – Querygate</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${urlOf('graphiql.css')}">
${preloaded.map((name) => `<link rel="modulepreload" href="${urlOf(name)}">`).join('\n')}
</head>
<body>
${siteHeader(site, '')}
<div id="root"><noscript>GraphiQL needs JavaScript.</noscript></div>
<script type="application/json" id="page-data">${JSON.stringify(data).replaceAll('<', '\\u003c')}</script>
<script type="module">${importOf(urlOf('graphiql.js'))}</script>
</body>
</html>
`;
}

const importOf = (url: string) => `import '${url}';`;

/**
 * The rights of the page: to run its own script, identified by its hash, load its files, and send requests to this
 * service. Its editor writes styles. `'self'` lets no text of a result run: nothing but the files of pages is served as
 * a script.
 */
function allowedIn(page: string): readonly string[] {
  const script = /<script type="module">(?<text>.*?)<\/script>/s.exec(page)?.groups?.text ?? '';
  return [
    `script-src 'sha256-${hash('sha256', script, 'base64')}' 'self'`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    "worker-src 'self'",
  ];
}
