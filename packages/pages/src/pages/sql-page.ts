import { basePath } from '../base-path.ts';
import { button, element, section } from '../element.ts';
import type { Endpoint, OpenapiDocument, ReadersKey } from '../endpoint.ts';
import { endpointsOf } from '../endpoint.ts';
import type { Gateway } from '../gateway.ts';
import { isCut } from '../gateway.ts';
import { buildForm, type ParameterForm } from '../parameters/form.ts';
import { exampleValues, type ParameterValues, searchOf } from '../parameters/values.ts';
import { buildSqlEditor, placeOf, type SqlEditor } from '../sql/sql-editor.ts';
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

/** The endpoints that take SQL of this key, with the parameters that SQL has: the document has an operation with SQL for each. */
function takingSql(openapi: OpenapiDocument): readonly Endpoint[] {
  const namesOf = new Map(
    Object.values(openapi.paths).flatMap(({ get }): [string, ReadonlySet<string>][] => {
      const names = new Set(get.parameters?.map(({ name }) => name));
      const endpoint = / (\S+)\.$/.exec(get.summary ?? '')?.[1];
      return names.has('sql') && endpoint !== undefined ? [[endpoint, names]] : [];
    }),
  );
  return endpointsOf(openapi).flatMap((endpoint) => {
    const names = namesOf.get(endpoint.name);
    return names === undefined
      ? []
      : [{ ...endpoint, parameters: endpoint.parameters.filter(({ name }) => names.has(name)) }];
  });
}

function buildPlayground(
  gateway: Gateway,
  endpoints: readonly Endpoint[],
  first: Endpoint,
  key: ReadersKey,
): HTMLElement {
  let endpoint = first;
  let form: ParameterForm;
  const submit = () => form.element.requestSubmit();
  const editor = buildSqlEditor(submit);
  const parameters = element('div');
  const tables = buildTables(gateway, editor);
  const output = buildOutput(gateway, editor);

  const choose = () => {
    form = buildForm({
      parameters: endpoint.parameters,
      tenants: key.tenants,
      actions: [],
      onSubmit: () => void output.run(endpoint, form.read()),
    });
    form.write(exampleValues(endpoint.parameters, key));
    parameters.replaceChildren(form.element);
    void tables.show(endpoint);
  };
  const select = element(
    'select',
    { id: 'sql-endpoint' },
    ...endpoints.map(({ name }) => element('option', { value: name }, name)),
  );
  select.addEventListener('change', () => {
    endpoint = endpoints.find(({ name }) => name === select.value) ?? first;
    // The output, and a request on its way, belong to the endpoint that was chosen before.
    output.clear();
    choose();
  });
  choose();

  return element(
    'div',
    { class: 'sides sql' },
    element(
      'div',
      { class: 'side' },
      element('div', { class: 'field' }, element('label', { for: select.id }, 'Saved query'), select),
      editor.element,
      element('div', { class: 'row' }, button('Run', submit, { class: 'primary' }), output.status),
      parameters,
      tables.element,
    ),
    output.element,
  );
}

/** The tables that SQL may read beside an endpoint, the first of which is in the text that the editor suggests. */
function buildTables(gateway: Gateway, editor: SqlEditor) {
  const list = element('div', { class: 'tables' });
  let shown: string | undefined;
  return {
    element: list,
    async show({ name }: Endpoint): Promise<void> {
      shown = name;
      const { tables } = await gateway
        .json<{ readonly tables: readonly SqlTable[] }>(explainUrl(name), new AbortController().signal)
        .catch(() => ({ tables: [] }));
      if (shown !== name) return;
      list.replaceChildren(
        ...tables.map((table) => {
          const summary = element('summary', {}, element('code', {}, table.name));
          return element('details', {}, summary, typesTable(table.columns));
        }),
      );
      const [table] = tables;
      const columns = table?.columns.slice(0, 3).map((column) => column.name);
      if (table && columns) editor.suggest(`SELECT ${columns.join(', ')}\nFROM ${table.name}\nLIMIT 10`);
    },
  };
}

/** The outcome of the text in the editor: a problem with its place, or DuckDB's text, types, plan and rows. */
function buildOutput(gateway: Gateway, editor: SqlEditor) {
  let running = new AbortController();
  const output = element('div', { class: 'side sql-output' });
  const status = element('p', { role: 'status', class: 'muted' });
  const clear = () => {
    running.abort();
    status.textContent = '';
    editor.mark(undefined, '');
    output.replaceChildren();
  };
  const showProblem = (error: unknown) => {
    const message = problemText(error);
    const place = placeOf(message);
    status.textContent = '';
    editor.mark(place, message);
    if (place === undefined)
      output.replaceChildren(element('p', { class: 'problem', role: 'alert' }, message));
    else output.replaceChildren();
  };
  const run = async ({ name, path, maxRows }: Endpoint, values: ParameterValues) => {
    running.abort();
    running = new AbortController();
    const { signal } = running;
    const sql = editor.text();
    const search = searchOf(new Map([...values, ['sql', [sql]] as const]));
    editor.mark(undefined, '');
    if (sql.trim() === '') {
      clear();
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
  return { element: output, status, clear, run };
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
