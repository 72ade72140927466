import { button, element, section } from '../element.ts';
import type { Column, Endpoint, ReadersKey } from '../endpoint.ts';
import type { Gateway, GatewayError } from '../gateway.ts';
import { buildForm, type ParameterForm } from '../parameters/form.ts';
import { rowArgumentsIn, withoutPage, withPageSize } from '../parameters/row-arguments.ts';
import {
  exampleValues,
  isComplete,
  type ParameterValues,
  searchOf,
  valuesInAddress,
} from '../parameters/values.ts';
import { buildResult, type ResultSection } from '../result/result.ts';
import { cachingText } from '../words.ts';
import { buildSnippetSection, type SnippetSection } from '../snippets/snippet-section.ts';
import { buildCostSection } from './cost-section.ts';
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

/** Shows the page of one endpoint: its parameters, the result, and how programs send the request. */
export function showQuery(options: QueryPageOptions): void {
  const page = new QueryPage(options);
  window.onpopstate = () => page.readAddress();
  document.title = `${options.endpoint.name} – Querygate`;
  options.main.replaceChildren(...page.parts());
  page.readAddress();
}

class QueryPage {
  readonly #options: QueryPageOptions;
  readonly #form: ParameterForm;
  readonly #result: ResultSection;
  readonly #snippets: SnippetSection;
  readonly #settings: ReturnType<typeof buildSettings>;
  readonly #costs: HTMLElement;
  readonly #isWide = matchMedia('(min-width: 60rem)');
  #view = viewOf(location.hash);
  /** Of the request that is shown, with row arguments. */
  #values: ParameterValues = new Map();

  constructor(options: QueryPageOptions) {
    this.#options = options;
    const { endpoint, gateway, key } = options;
    const mayRunAgain = key.permissions.includes('fresh') && endpoint.caching !== undefined;
    this.#form = buildForm({
      parameters: endpoint.parameters,
      tenants: key.tenants,
      actions: [
        element('button', { type: 'submit', class: 'primary' }, 'Run'),
        ...(mayRunAgain ? [button('Run now, without the cache', () => this.#submit(true))] : []),
      ],
      onSubmit: () => this.#submit(false),
    });
    this.#result = buildResult({
      gateway,
      endpoint,
      view: () => this.#view,
      onView: (part) => this.#setView(part),
      onValues: (next) => this.#run(next, false),
      onProblem: (error) => this.#showProblem(error),
    });
    this.#snippets = buildSnippetSection({
      gateway,
      endpoint,
      maySeeSql: key.permissions.includes('catalog'),
      values: () => withPageSize(endpoint, this.#withRowArguments(this.#form.read(), this.#values)),
      tab: this.#view.tab,
      onTab: (tab) => this.#setView({ tab }),
    });
    this.#form.element.addEventListener('input', () => this.#snippets.refresh());
    this.#settings = buildSettings(this.#form);
    this.#costs = buildCostSection(gateway, endpoint.name);
  }

  parts(): readonly HTMLElement[] {
    const { endpoint, group } = this.#options;
    return layoutOf(
      endpoint,
      group,
      this.#settings.element,
      this.#result.element,
      this.#snippets.element,
      this.#costs,
    );
  }

  /** Shows the request in the address, or one with the examples of the author. */
  readAddress(): void {
    const { endpoint, key } = this.#options;
    const { parameters } = endpoint;
    const given = valuesInAddress(location.search, parameters);
    const isExample = !parameters.some(({ name }) => given.has(name));
    this.#view = viewOf(location.hash);
    this.#form.write(isExample ? exampleValues(parameters, key) : given);
    this.#values = isExample ? new Map([...this.#form.read(), ...given]) : given;
    this.#snippets.show(this.#view.tab);
    const isRunnable = isComplete(this.#values, parameters);
    const { element: settings, examples } = this.#settings;
    examples.hidden = !isExample || !parameters.some(({ required }) => required) || !isRunnable;
    // On a phone the result comes first.
    settings.open = this.#isWide.matches || !isRunnable;
    if (!isRunnable) {
      this.#result.clear();
      return;
    }
    if (isExample)
      history.replaceState(null, '', location.pathname + searchOf(this.#values) + hashOf(this.#view));
    void this.#result.run(this.#values, false);
  }

  #submit(again: boolean): void {
    const own = this.#form.read();
    const isSame = searchOf(this.#withRowArguments(own, this.#values)) === searchOf(this.#values);
    // The place of a page is that of other parameters.
    const from = isSame ? this.#values : withoutPage(this.#options.endpoint, this.#values);
    void this.#run(this.#withRowArguments(own, from), again);
  }

  #run(next: ParameterValues, again: boolean): Promise<void> {
    this.#values = next;
    const search = searchOf(next);
    if (search !== location.search)
      history.pushState(null, '', location.pathname + search + hashOf(this.#view));
    this.#snippets.refresh();
    return this.#result.run(next, again);
  }

  #withRowArguments(own: ParameterValues, from: ParameterValues): ParameterValues {
    return new Map([...own, ...rowArgumentsIn(this.#options.endpoint, from)]);
  }

  #setView(part: Partial<View>): void {
    this.#view = { ...this.#view, ...part };
    history.replaceState(null, '', location.pathname + location.search + hashOf(this.#view));
  }

  /** @returns whether it is shown here */
  #showProblem({ status, parameter, message }: GatewayError): boolean {
    if (status === 401) {
      this.#result.close();
      this.#options.onWrongKey();
      return true;
    }
    if (!this.#options.endpoint.parameters.some(({ name }) => name === parameter)) return false;
    this.#settings.element.open = true;
    return this.#form.showProblem(parameter ?? '', message);
  }
}

/** The form in a part that can be folded, and a line about the values of the author's examples until one is changed. */
function buildSettings({ element: form }: ParameterForm) {
  const examples = element('p', { class: 'muted', hidden: true }, "Filled in with the author's examples.");
  form.addEventListener('input', () => {
    examples.hidden = true;
  });
  const summary = element('summary', {}, element('h2', {}, 'Parameters'));
  return { examples, element: element('details', { open: true }, summary, form, examples) };
}

/** The parts of the page. */
function layoutOf(
  { name, summary, description, maxRows, caching, isDeprecated, columns }: Endpoint,
  group: Group | undefined,
  settings: HTMLElement,
  result: HTMLElement,
  snippets: HTMLElement,
  costs: HTMLElement,
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
    costs,
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
