import { element } from '../element.ts';
import type { Endpoint } from '../endpoint.ts';
import type { Gateway, Use, UseOfEndpoints } from '../gateway.ts';
import { badge, type Group, groupsOf, link, versionsLine } from './versions.ts';
import { bytesText, durationText, whatThisIs } from '../words.ts';

/** A short list needs no search. */
const minToSearch = 8;

/** The page that lists the endpoints. */
export function showList(main: HTMLElement, gateway: Gateway, endpoints: readonly Endpoint[]): void {
  document.title = 'Queries – Querygate';
  const items = groupsOf(endpoints).map((group) => ({ group, ...listItem(group) }));
  const list = element('ul', { class: 'endpoints' }, ...items.map(({ item }) => item));
  const status = element('p', { role: 'status', class: 'muted' });
  const since = element('p', { class: 'muted' });
  const search = element('input', { id: 'search', type: 'search', autocomplete: 'off' });
  const filter = () => {
    const words = search.value.toLowerCase().split(/\s+/);
    let shown = 0;
    for (const { group, item } of items) {
      const text = `${group.main.name} ${group.main.summary}`.toLowerCase();
      item.hidden = !words.every((word) => text.includes(word));
      if (!item.hidden) shown += 1;
    }
    status.textContent = shown === items.length ? counted(shown) : `${shown} of ${counted(items.length)}`;
  };
  search.addEventListener('input', filter);
  filter();
  main.replaceChildren(
    element('h1', {}, 'Queries'),
    element('p', { class: 'summary' }, whatThisIs),
    ...(items.length < minToSearch
      ? []
      : [
          element(
            'div',
            { class: 'field' },
            element('label', { for: 'search' }, 'Search names and descriptions'),
            search,
          ),
        ]),
    status,
    list,
    since,
  );
  void gateway.use().then((known) => {
    for (const { group, use } of items) use.replaceChildren(...useItems(group, known));
    if (items.some(({ use }) => use.childElementCount > 0))
      since.textContent = `Counted by this gateway since ${known.since.slice(0, 16).replace('T', ' ')} UTC.`;
  });
}

const counted = (count: number) =>
  count === 0
    ? 'Your key may query nothing.'
    : `${count} ${count === 1 ? 'query' : 'queries'} that your key may run.`;

function listItem(group: Group): { readonly item: HTMLLIElement; readonly use: HTMLElement } {
  const { main } = group;
  const { summary, parameters, isDeprecated } = main;
  const names = parameters.map(({ name, required }) => (required ? `${name} (required)` : name));
  const use = element('ul', { class: 'use' });
  const item = element(
    'li',
    {},
    link(main, main.name),
    ...(isDeprecated ? [' ', badge('deprecated')] : []),
    element('p', {}, summary),
    element(
      'p',
      { class: 'muted' },
      names.length === 0 ? 'No parameters.' : `Parameters: ${names.join(', ')}.`,
    ),
    ...versionsLine(group),
    use,
  );
  return { item, use };
}

/** In the order in which people ask: is it used, is it fast, does it fail, how old is it, what does it cost. */
function useItems({ main }: Group, { endpoints }: UseOfEndpoints): readonly HTMLElement[] {
  const names = [main.version === 1 ? main.base : `${main.base}@${main.version}`, `${main.base}@1`];
  // A query may have the name of a member of Object.prototype.
  const found = names.find((name) => Object.hasOwn(endpoints, name));
  const use = found === undefined ? undefined : endpoints[found];
  if (use === undefined) return [];
  const texts = [
    requestsText(use),
    use.p95Seconds === undefined ? '' : `95 % of runs within ${durationText(use.p95Seconds)}`,
    use.computedAt === undefined ? '' : `newest rows ${agoText(use.computedAt)}`,
    use.lastError === undefined ? '' : `last error ${agoText(use.lastError.at)}: ${use.lastError.code}`,
    use.bytesProcessed === undefined ? '' : `${bytesText(use.bytesProcessed)} read`,
  ].filter((text) => text !== '');
  return texts.map((text) => element('li', {}, text));
}

function requestsText({ results, hits = 0, runs }: Use): string {
  if (results === undefined) return runs === 0 ? 'not used yet' : `${countText(runs, 'run')}`;
  if (results === 0) return 'not used yet';
  return `${countText(results, 'request')}, ${Math.floor((hits / results) * 100)} % from the cache`;
}

const countText = (count: number, noun: string) =>
  `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;

const agoText = (moment: string) =>
  `${durationText(Math.max(0, Math.round((Date.now() - Date.parse(moment)) / 1000)))} ago`;
