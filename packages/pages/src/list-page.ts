import { basePath } from './base-path.ts';
import { element } from './element.ts';
import type { Endpoint } from './endpoint.ts';

/** A short list needs no search. */
const minToSearch = 8;

/** The page that lists the endpoints. */
export function showList(main: HTMLElement, endpoints: readonly Endpoint[]): void {
  document.title = 'Saved queries – Querygate';
  const items = endpoints.map((endpoint) => ({ endpoint, item: listItem(endpoint) }));
  const list = element('ul', { class: 'endpoints' }, ...items.map(({ item }) => item));
  const status = element('p', { role: 'status', class: 'muted' });
  const search = element('input', { id: 'search', type: 'search', autocomplete: 'off' });
  const filter = () => {
    const words = search.value.toLowerCase().split(/\s+/);
    let shown = 0;
    for (const { endpoint, item } of items) {
      const text = `${endpoint.name} ${endpoint.summary}`.toLowerCase();
      item.hidden = !words.every((word) => text.includes(word));
      if (!item.hidden) shown += 1;
    }
    status.textContent = shown === items.length ? counted(shown) : `${shown} of ${counted(items.length)}`;
  };
  search.addEventListener('input', filter);
  filter();
  main.replaceChildren(
    element('h1', {}, 'Saved queries'),
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
  );
}

const counted = (count: number) =>
  count === 0
    ? 'Your key may query no endpoint.'
    : `${count} ${count === 1 ? 'endpoint' : 'endpoints'} that your key may query.`;

function listItem({ name, summary, parameters, isDeprecated }: Endpoint): HTMLLIElement {
  const names = parameters.map((parameter) =>
    parameter.required ? `${parameter.name} (required)` : parameter.name,
  );
  return element(
    'li',
    {},
    element('a', { href: `${basePath}/queries/${name}` }, name),
    ...(isDeprecated ? [' ', element('span', { class: 'badge' }, 'deprecated')] : []),
    element('p', {}, summary),
    element(
      'p',
      { class: 'muted' },
      names.length === 0 ? 'No parameters.' : `Parameters: ${names.join(', ')}.`,
    ),
  );
}
