import { button, element, section } from '../element.ts';
import type { Column, Endpoint, ReadersKey } from '../endpoint.ts';
import type { Gateway } from '../gateway.ts';
import { buildForm, type ParameterForm } from '../parameters/form.ts';
import { rowArgumentNames, rowArgumentsIn, withoutPage } from '../parameters/row-arguments.ts';
import { exampleValues, isComplete, type ParameterValues, searchOf, valuesOf } from '../parameters/values.ts';
import { buildResult } from '../result/result.ts';
import { cachingText } from '../words.ts';
import { buildSnippetSection } from '../snippets/snippet-section.ts';
import { type Group, versionsLine } from './versions.ts';
import { hashOf, type View, viewOf } from '../view.ts';

interface QueryPageOptions {
  readonly main: HTMLElement;
  readonly gateway: Gateway;
  readonly endpoint: Endpoint;
  /** All versions of it. */
  readonly group: Group | undefined;
  readonly key: ReadersKey;
  readonly onWrongKey: () => void;
}

/** The page of one endpoint: its parameters, the result, and how programs send the request. */
export function showQuery({ main, gateway, endpoint, group, key, onWrongKey }: QueryPageOptions): void {
  const { name, parameters, caching } = endpoint;
  let view = viewOf(location.hash);
  const setView = (part: Partial<View>) => {
    view = { ...view, ...part };
    history.replaceState(null, '', location.pathname + location.search + hashOf(view));
  };

  /** Of the request that is shown, with row arguments. */
  let values: ParameterValues = new Map();
  const withRowArguments = (own: ParameterValues, from: ParameterValues): ParameterValues =>
    new Map([...own, ...rowArgumentsIn(endpoint, from)]);

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
    onValues: (next) => run(next, false),
    onProblem(error) {
      if (error.status === 401) {
        result.close();
        onWrongKey();
        return true;
      }
      if (!parameters.some(({ name: one }) => one === error.parameter)) return false;
      settings.open = true;
      return form.showProblem(error.parameter ?? '', error.message);
    },
  });
  const snippets = buildSnippetSection({
    gateway,
    endpoint,
    maySeeSql: key.permissions.includes('catalog'),
    values: () => withRowArguments(form.read(), values),
    tab: view.tab,
    onTab: (tab) => setView({ tab }),
  });
  form.element.addEventListener('input', () => snippets.refresh());

  const isWide = matchMedia('(min-width: 60rem)');
  const { settings, examples } = buildSettings(form);

  function submit(again: boolean): void {
    const own = form.read();
    const isSame = searchOf(withRowArguments(own, values)) === searchOf(values);
    // The place of a page is that of other parameters.
    void run(withRowArguments(own, isSame ? values : withoutPage(endpoint, values)), again);
  }
  function run(next: ParameterValues, again: boolean): Promise<void> {
    values = next;
    const search = searchOf(values);
    if (search !== location.search) history.pushState(null, '', location.pathname + search + hashOf(view));
    snippets.refresh();
    return result.run(values, again);
  }
  /** Shows the request in the address, or one with the examples of the author. */
  function readAddress(): void {
    const named = [...parameters, ...rowArgumentNames(endpoint).map((one) => ({ name: one }))];
    const given = valuesOf(location.search, named);
    const own = valuesOf(location.search, parameters);
    view = viewOf(location.hash);
    form.write(own.size === 0 ? exampleValues(parameters, key) : own);
    values = withRowArguments(own.size === 0 ? form.read() : own, given);
    snippets.show(view.tab);
    const isRunnable = isComplete(values, parameters);
    examples.hidden = own.size > 0 || !parameters.some(({ required }) => required) || !isRunnable;
    // On a phone the result comes first.
    settings.open = isWide.matches || !isRunnable;
    if (!isRunnable) {
      result.clear();
      return;
    }
    if (own.size === 0) history.replaceState(null, '', location.pathname + searchOf(values) + hashOf(view));
    void result.run(values, false);
  }
  window.onpopstate = readAddress;

  document.title = `${name} – Querygate`;
  main.replaceChildren(...layoutOf(endpoint, group, settings, result.element, snippets.element));
  readAddress();
}

/** The form in a part that can be folded, and a line about the values of the author's examples until one is changed. */
function buildSettings({ element: form }: ParameterForm) {
  const examples = element('p', { class: 'muted', hidden: true }, "Filled in with the author's examples.");
  form.addEventListener('input', () => {
    examples.hidden = true;
  });
  const summary = element('summary', {}, element('h2', {}, 'Parameters'));
  return { examples, settings: element('details', { open: true }, summary, form, examples) };
}

/** The parts of the page. */
function layoutOf(
  { name, summary, description, maxRows, caching, isDeprecated, columns }: Endpoint,
  group: Group | undefined,
  settings: HTMLElement,
  result: HTMLElement,
  snippets: HTMLElement,
): readonly HTMLElement[] {
  const most = maxRows === undefined ? '' : `At most ${maxRows.toLocaleString('en')} rows. `;
  const badge = element('span', { class: 'badge' }, 'deprecated');
  return [
    element('h1', {}, name),
    ...(isDeprecated ? [element('p', {}, badge, ` ${description}`)] : []),
    element('p', { class: 'summary' }, summary),
    ...(group === undefined ? [] : versionsLine(group, name)),
    element('div', { class: 'sides' }, element('div', { class: 'side' }, settings), result),
    snippets,
    section(
      'columns',
      'Columns',
      element('p', { class: 'muted' }, `${most}${cachingText(caching)}`),
      columnsTable(columns),
    ),
  ];
}

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
