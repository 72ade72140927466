import { button, element, section } from './element.ts';
import type { Column, Endpoint, ReadersKey } from './endpoint.ts';
import type { Gateway } from './gateway.ts';
import { buildForm } from './parameters/form.ts';
import { isComplete, type ParameterValues, searchOf, valuesOf } from './parameters/values.ts';
import { buildResult } from './result/result.ts';
import { cachingText } from './words.ts';
import { buildSnippetSection } from './snippets/snippet-section.ts';
import { hashOf, type View, viewOf } from './view.ts';

interface QueryPageOptions {
  readonly main: HTMLElement;
  readonly gateway: Gateway;
  readonly endpoint: Endpoint;
  readonly key: ReadersKey;
  readonly onWrongKey: () => void;
}

/** The page of one endpoint: its parameters, the result, and how programs send the request. */
export function showQuery({ main, gateway, endpoint, key, onWrongKey }: QueryPageOptions): void {
  const { name, summary, description, parameters, maxRows, caching, isDeprecated } = endpoint;
  let view = viewOf(location.hash);
  const setView = (part: Partial<View>) => {
    view = { ...view, ...part };
    history.replaceState(null, '', location.pathname + location.search + hashOf(view));
  };

  const runAgain = button('Run now, without the cache', () => submit(true));
  const form = buildForm({
    parameters,
    tenants: key.tenants,
    actions: [
      element('button', { type: 'submit', class: 'primary' }, 'Run'),
      ...(key.permissions.includes('fresh') && caching !== undefined ? [runAgain] : []),
    ],
    onSubmit: () => submit(false),
  });
  const result = buildResult({
    gateway,
    endpoint,
    view: () => view,
    onView: setView,
    onProblem(error) {
      if (error.status === 401) {
        result.close();
        onWrongKey();
        return true;
      }
      return error.parameter !== undefined && form.showProblem(error.parameter, error.message);
    },
  });
  const snippets = buildSnippetSection({
    gateway,
    endpoint,
    maySeeSql: key.permissions.includes('catalog'),
    values: () => form.read(),
    tab: view.tab,
    onTab: (tab) => setView({ tab }),
  });
  form.element.addEventListener('input', () => snippets.refresh());

  function submit(again: boolean): void {
    const values = form.read();
    const address = location.pathname + searchOf(values) + hashOf(view);
    if (searchOf(values) !== location.search) history.pushState(null, '', address);
    void result.run(values, again);
  }
  /** Shows the request in the address. */
  function readAddress(): void {
    const values = valuesOf(location.search, parameters);
    view = viewOf(location.hash);
    form.write(values.size === 0 ? withExamples(endpoint, key) : values);
    snippets.show(view.tab);
    if (isComplete(values, parameters)) void result.run(values, false);
    else result.clear();
  }
  window.onpopstate = readAddress;

  document.title = `${name} – Querygate`;
  main.replaceChildren(
    element('p', {}, element('a', { href: '/' }, 'All endpoints')),
    element('h1', {}, name),
    ...(isDeprecated
      ? [element('p', {}, element('span', { class: 'badge' }, 'deprecated'), ` ${description}`)]
      : []),
    element('p', { class: 'summary' }, summary),
    element(
      'p',
      { class: 'muted' },
      `${maxRows === undefined ? '' : `At most ${maxRows.toLocaleString('en')} rows. `}${cachingText(caching)}`,
    ),
    section('parameters', 'Parameters', form.element),
    result.element,
    snippets.element,
    section('columns', 'Columns', columnsTable(endpoint.columns)),
  );
  readAddress();
}

/** Values to start with: where one is required, the example of the author. The key's own tenant is filled in by its field. */
const withExamples = ({ parameters }: Endpoint, { tenants }: ReadersKey): ParameterValues =>
  new Map(
    parameters.flatMap(({ name, required, example, isTenant }) =>
      required && example.length > 0 && !(isTenant && tenants !== undefined)
        ? [[name, example] as const]
        : [],
    ),
  );

function columnsTable(columns: readonly Column[]): HTMLElement {
  const head = ['Name', 'Type', 'Unit', 'NULL', 'Meaning'].map((text) =>
    element('th', { scope: 'col' }, text),
  );
  const rows = columns.map(({ name, type, repeated, unit = '', required, description }) =>
    element(
      'tr',
      {},
      element('th', { scope: 'row' }, name),
      ...[repeated ? `list of ${type}` : type, unit, required ? 'never' : 'possible', description].map(
        (text) => element('td', {}, text),
      ),
    ),
  );
  const table = element(
    'table',
    {},
    element('thead', {}, element('tr', {}, ...head)),
    element('tbody', {}, ...rows),
  );
  return element(
    'div',
    { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Columns, scrollable' },
    table,
  );
}
