import { basePath } from '../base-path.ts';
import { button, element, section } from '../element.ts';
import type { Endpoint, OpenapiDocument, ReadersKey } from '../endpoint.ts';
import { endpointsOf } from '../endpoint.ts';
import type { Gateway } from '../gateway.ts';
import { isCut } from '../gateway.ts';
import { buildForm, type ParameterForm } from '../parameters/form.ts';
import { searchOf } from '../parameters/values.ts';
import { buildSqlEditor, placeOf } from '../sql/sql-editor.ts';
import { type Explained, rowsTable, type SqlTable, typesTable } from '../sql/sql-tables.ts';
import { problemText, rowsText } from '../words.ts';

const explainUrl = (name: string) => `${basePath}/sql/explain/${encodeURIComponent(name)}`;

interface SqlPageOptions {
  readonly main: HTMLElement;
  readonly gateway: Gateway;
  readonly document: OpenapiDocument;
}

/** The page where a caller writes SQL, and sees what becomes of it: DuckDB's text, types, plan and rows. */
export function showSql({ main, gateway, document: openapi }: SqlPageOptions): void {
  document.title = 'SQL – Querygate';
  const endpoints = takingSql(openapi);
  const title = element('h1', {}, 'SQL');
  const [first] = endpoints;
  if (first === undefined) {
    main.replaceChildren(
      title,
      element('p', {}, 'Your key may not send SQL, or no query that it may run takes any.'),
      element('p', {}, element('a', { href: `${basePath}/` }, 'All queries')),
    );
    return;
  }
  const playground = buildPlayground(gateway, endpoints, first, openapi['x-key'] ?? { permissions: [] });
  main.replaceChildren(
    title,
    element(
      'p',
      { class: 'summary' },
      'One SELECT in the SQL of BigQuery, over the common tables of a saved query. Only rows that your key may read are there.',
    ),
    playground,
  );
}

/** The endpoints that take SQL of this key: the document has an operation with SQL for each. */
function takingSql(openapi: OpenapiDocument): readonly Endpoint[] {
  const names = new Set(
    Object.values(openapi.paths).flatMap(({ get }) =>
      get.parameters?.some(({ name }) => name === 'sql') ? [/ (\S+)\.$/.exec(get.summary ?? '')?.[1]] : [],
    ),
  );
  return endpointsOf(openapi).filter(({ name }) => names.has(name));
}

function buildPlayground(
  gateway: Gateway,
  endpoints: readonly Endpoint[],
  first: Endpoint,
  key: ReadersKey,
): HTMLElement {
  let endpoint = first;
  let form: ParameterForm;
  let running = new AbortController();
  const submit = () => form.element.requestSubmit();
  const editor = buildSqlEditor(submit);
  const parameters = element('div');
  const known = element('div', { class: 'tables' });
  const output = element('div', { class: 'side sql-output' });
  const status = element('p', { role: 'status', class: 'muted' });

  const choose = () => {
    form = buildForm({
      parameters: endpoint.parameters,
      tenants: key.tenants,
      actions: [],
      onSubmit: () => void run(),
    });
    form.write(
      new Map(
        endpoint.parameters.flatMap(({ name, required, example, isTenant }) =>
          required && example.length > 0 && !(isTenant && key.tenants) ? [[name, example] as const] : [],
        ),
      ),
    );
    parameters.replaceChildren(form.element);
    void showTables();
  };
  const showTables = async () => {
    const { name } = endpoint;
    const { tables } = await gateway
      .json<{ readonly tables: readonly SqlTable[] }>(explainUrl(name), new AbortController().signal)
      .catch(() => ({ tables: [] }));
    if (endpoint.name !== name) return;
    known.replaceChildren(
      ...tables.map((table) =>
        element(
          'details',
          {},
          element('summary', {}, element('code', {}, table.name)),
          typesTable(table.columns),
        ),
      ),
    );
    const [table] = tables;
    const columns = table?.columns.slice(0, 3).map((column) => column.name);
    if (table && columns) editor.suggest(`SELECT ${columns.join(', ')}\nFROM ${table.name}\nLIMIT 10`);
  };
  const select = element(
    'select',
    { id: 'sql-endpoint' },
    ...endpoints.map(({ name }) => element('option', { value: name }, name)),
  );
  select.addEventListener('change', () => {
    endpoint = endpoints.find(({ name }) => name === select.value) ?? first;
    // What is on its way, and what is shown, belongs to the other one.
    running.abort();
    status.textContent = '';
    editor.mark(undefined, '');
    output.replaceChildren();
    choose();
  });
  choose();

  const showProblem = (error: unknown) => {
    const message = problemText(error);
    const place = placeOf(message);
    status.textContent = '';
    editor.mark(place, message);
    if (place === undefined)
      output.replaceChildren(element('p', { class: 'problem', role: 'alert' }, message));
    else output.replaceChildren();
  };

  const run = async () => {
    running.abort();
    running = new AbortController();
    const { signal } = running;
    const { name, path, maxRows } = endpoint;
    const values = new Map([...form.read(), ['sql', [editor.text()]] as const]);
    const search = searchOf(values);
    editor.mark(undefined, '');
    if (editor.text().trim() === '') {
      status.textContent = '';
      output.replaceChildren();
      editor.mark({ line: 1, column: 1 }, 'There is no SQL; write one SELECT.');
      return;
    }
    status.textContent = 'Running…';
    try {
      const explained = await gateway.json<Explained>(explainUrl(name) + search, signal);
      output.replaceChildren(...explanation(explained));
      const response = await gateway.rows(path + search, signal, false);
      status.textContent = rowsText(response.rows.length, isCut(response), maxRows);
      output.replaceChildren(
        section('sql-rows', 'Rows', rowsTable(explained.columns, response.rows)),
        ...explanation(explained),
      );
    } catch (error) {
      if (!signal.aborted) showProblem(error);
    }
  };

  return element(
    'div',
    { class: 'sides sql' },
    element(
      'div',
      { class: 'side' },
      element('div', { class: 'field' }, element('label', { for: select.id }, 'Saved query'), select),
      editor.element,
      element('div', { class: 'row' }, button('Run', submit, { class: 'primary' }), status),
      parameters,
      known,
    ),
    output,
  );
}

const explanation = ({ sql, columns, plan }: Explained): readonly HTMLElement[] => [
  section('sql-types', 'Columns', typesTable(columns)),
  section('sql-plan', 'Plan', element('ul', {}, ...plan.map((step) => element('li', {}, step)))),
  section(
    'sql-duckdb',
    "DuckDB's SQL",
    element('pre', { tabindex: 0, role: 'group', 'aria-label': 'SQL for DuckDB' }, sql),
  ),
];
