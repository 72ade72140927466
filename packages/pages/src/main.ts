import { basePath } from './base-path.ts';
import { element, find } from './element.ts';
import { endpointsOf, type OpenapiDocument } from './endpoint.ts';
import { type Gateway, GatewayError, openGateway } from './gateway.ts';
import { askForKey, forgetKey, knownKey, rememberKey } from './key.ts';
import { showAgents } from './pages/agents-page.ts';
import { embedPath, showEmbedded } from './pages/embed-page.ts';
import { showList } from './pages/list-page.ts';
import { showOpenapi } from './pages/openapi-page.ts';
import { showQuery } from './pages/query-page.ts';
import { showSql } from './pages/sql-page.ts';
import { groupsOf } from './pages/versions.ts';
import { problemText } from './words.ts';

const main = find('main');
const queryPath = `${basePath}/queries/`;
const openapiPath = `${basePath}/openapi`;
const agentsPath = `${basePath}/agents`;
const sqlPath = `${basePath}/sql`;

/** The gateway's words are for programs, which send the key in a header. */
const wrongKey = 'This key is not valid. It may be mistyped, expired or revoked.';

/** Pages that not every gateway has, with what turns them on. */
const missing = new Map([
  [
    agentsPath,
    'Agents may not use this gateway: MCP=on, or the plug-in mcp(), lets them, and shows here how.',
  ],
  [
    sqlPath,
    'No saved query of this gateway takes SQL: one with "query_sandboxing: enabled" in its header does.',
  ],
]);

let usedKey = knownKey();
if (location.pathname.startsWith(embedPath)) void showEmbedded(main, nameOf(location.pathname, embedPath));
else start();

/** A page with the header of the site. */
function start(): void {
  markCurrentLink();
  find('skip').addEventListener('click', (event) => {
    // The fragment of the address holds how the result is shown.
    event.preventDefault();
    main.focus();
  });
  // A page that the browser kept while another one was shown has rows that are no longer for everybody at this screen.
  window.addEventListener('pageshow', ({ persisted }) => {
    if (persisted && knownKey() !== usedKey) location.reload();
  });
  if (isKnownPage()) void show(usedKey, undefined);
  else showNotFound(missing.get(location.pathname) ?? 'There is no page at this address.');
}

function isKnownPage(): boolean {
  const { pathname } = location;
  const isQuery = pathname.startsWith(queryPath) && !pathname.slice(queryPath.length).includes('/');
  const isHere = pathname === basePath || pathname === `${basePath}/` || pathname === openapiPath;
  // Not every gateway has them.
  const isLinked = [agentsPath, sqlPath].includes(pathname) && siteLinks(pathname).length > 0;
  return isHere || isQuery || isLinked;
}

function siteLinks(path: string): readonly Element[] {
  const links = [...document.querySelectorAll<HTMLAnchorElement>('header nav a')];
  // As the browser has resolved it.
  return links.filter((link) => link.pathname === path);
}

/** In the header, which is the same for all pages. */
function markCurrentLink(): void {
  const own = [openapiPath, agentsPath, sqlPath].find((path) => location.pathname === path);
  const here = isKnownPage() ? (own ?? `${basePath}/`) : '';
  for (const link of siteLinks(here)) link.setAttribute('aria-current', 'page');
}

async function show(key: string | undefined, problem: string | undefined): Promise<void> {
  usedKey = key;
  if (key === undefined) {
    await show(await askForKey(main, problem), undefined);
    focusMain();
    return;
  }
  const name = location.pathname.startsWith(queryPath) ? nameOf(location.pathname, queryPath) : undefined;
  main.replaceChildren(element('h1', {}, name ?? 'Queries'), element('p', { role: 'status' }, 'Loading…'));
  const gateway = openGateway(key);
  try {
    const document = await gateway.openapi();
    rememberKey(key);
    showPage(gateway, document);
  } catch (error) {
    if (error instanceof GatewayError && error.status === 401) {
      forgetKey();
      return show(undefined, wrongKey);
    }
    showFailure(error, () => void show(key, undefined).then(focusMain));
  }
}

function showPage(gateway: Gateway, document: OpenapiDocument): void {
  if (location.pathname === openapiPath) {
    showOpenapi(main, document);
    return;
  }
  if (location.pathname === agentsPath) {
    showAgents(main);
    return;
  }
  if (location.pathname === sqlPath) {
    showSql({ main, gateway, document });
    return;
  }
  const endpoints = endpointsOf(document);
  if (!location.pathname.startsWith(queryPath)) {
    showList(main, gateway, endpoints);
    return;
  }
  const name = nameOf(location.pathname, queryPath);
  const endpoint = endpoints.find((one) => one.name === name);
  if (endpoint === undefined) {
    showNotFound('There is no such query, or your key may not run it.');
    return;
  }
  const onWrongKey = () => {
    forgetKey();
    void show(undefined, wrongKey);
  };
  const group = groupsOf(endpoints).find(({ main: { base } }) => base === endpoint.base);
  const key = document['x-key'] ?? { permissions: [] };
  showQuery({ main, gateway, endpoint, group, key, onWrongKey });
}

/** Moves the focus to the new content if the focused element is gone, so that screen readers continue there. */
function focusMain(): void {
  if (document.activeElement === document.body) main.focus();
}

function showNotFound(why: string): void {
  document.title = 'Not found – Querygate';
  main.replaceChildren(
    element('h1', {}, 'Not found'),
    element('p', {}, why),
    element('p', {}, element('a', { href: `${basePath}/` }, 'All queries')),
  );
}

function nameOf(pathname: string, start: string): string | undefined {
  try {
    return decodeURIComponent(pathname.slice(start.length));
  } catch {
    return undefined;
  }
}

function showFailure(error: unknown, tryAgain: () => void): void {
  const again = element('button', { type: 'button' }, 'Try again');
  again.addEventListener('click', tryAgain);
  main.replaceChildren(
    element('h1', {}, 'The queries cannot be shown'),
    element('p', { class: 'problem', role: 'alert' }, problemText(error)),
    again,
  );
}
