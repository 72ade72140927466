import type { Catalog } from '../../../catalog/model/saved-query.ts';
import { graphqlPath } from '../../../http/message/paths.ts';

/** The page of the OpenAPI document. */
export const readerPath = '/openapi';

/** The page that shows how agents connect. */
export const agentsPath = '/agents';

/** The page where callers write SQL. */
export const sqlPath = '/sql';

/** The pages that a gateway has for browsers. */
export interface Site {
  /** Before every path, as `rootOf` gives it. */
  readonly root: string;
  /** True if saved queries and the OpenAPI document have pages. */
  readonly pages: boolean;
  /** True if GraphiQL is at `/graphql`. */
  readonly graphiql: boolean;
  /** True if agents can connect, which has a page then. */
  readonly agents: boolean;
  /** True if an endpoint takes SQL, which has a page then. */
  readonly sql: boolean;
}

/** True if a catalog has an endpoint that takes SQL. */
export const takesSql = ({ queries }: Catalog): boolean =>
  queries.some(({ querySandboxing }) => querySandboxing === 'enabled');

/**
 * The header that all pages share: where else people can go, and a place for their key.
 *
 * @param key markup of that place
 */
export function siteHeader({ root, pages, graphiql, agents, sql }: Site, key: string): string {
  const link = (path: string, text: string) => `<a href="${escapeAttribute(root + path)}">${text}</a>`;
  const links = [
    ...(pages ? [link('/', 'Queries'), link(readerPath, 'OpenAPI')] : []),
    ...(pages && sql ? [link(sqlPath, 'SQL')] : []),
    ...(pages && agents ? [link(agentsPath, 'Agents')] : []),
    ...(graphiql ? [link(graphqlPath, 'GraphiQL')] : []),
  ];
  return `<header class="site">
<a class="brand" href="${escapeAttribute(root + (pages ? '/' : graphqlPath))}">Querygate</a>
<nav aria-label="Site">${links.join(' ')}</nav>
<div class="key" id="site-key">${key}</div>
</header>`;
}

/**
 * The prefix of every path in the links of a page: the path below which the gateway is, as in `/warehouse`, or the way
 * to its root relative to the page, so that a proxy may serve the gateway below a path that it does not know.
 *
 * @param pathname of the page, as the gateway sees it
 */
export function rootOf(basePath: string, pathname: string): string {
  const depth = pathname.split('/').length - 2;
  if (basePath !== '' || depth > maxDepth) return basePath;
  return depth === 0 ? '.' : Array(depth).fill('..').join('/');
}

/** No page is deeper; addresses where nothing is may be. */
const maxDepth = 10;

export const escapeAttribute = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
