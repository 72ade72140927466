import { element, section } from '../element.ts';
import type { Endpoint } from '../endpoint.ts';
import type { Gateway } from '../gateway.ts';
import { rowArgumentsIn } from '../parameters/row-arguments.ts';
import type { ParameterValues } from '../parameters/values.ts';
import {
  bigquerySnippet,
  curlSnippet,
  graphqlVariables,
  pythonSnippet,
  restOnly,
  type SnippetOptions,
  typescriptSnippet,
} from './snippets.ts';
import { buildTabs, copyable, type Tab } from './tabs.ts';

interface SnippetSectionOptions {
  readonly gateway: Gateway;
  readonly endpoint: Endpoint;
  /** True if the key has the permission `catalog`. */
  readonly maySeeSql: boolean;
  /** The current values of the form. */
  readonly values: () => ParameterValues;
  readonly tab: string | undefined;
  readonly onTab: (tab: string) => void;
}

export interface SnippetSection {
  readonly element: HTMLElement;
  /** Makes the texts again, for other values. */
  refresh(): void;
  /** @param tab undefined: the one that is shown */
  show(tab: string | undefined): void;
}

/** How programs send the same request, and the SQL for keys that may see it. */
export function buildSnippetSection(options: SnippetSectionOptions): SnippetSection {
  const { gateway, endpoint, maySeeSql, values, tab, onTab } = options;
  const current = (): SnippetOptions => ({ origin: location.origin, endpoint, values: values() });
  let sql: string | undefined;
  /** Of row arguments, which are others in GraphQL, and are applied to the rows of the SQL. */
  const noteOn = (comment: string) =>
    rowArgumentsIn(endpoint, values()).size === 0
      ? ''
      : `${comment} All rows of the result, without the conditions, the order and the page that are shown.\n`;
  const leftOut = () =>
    restOnly(current())
      .map((name) => `# ${name}: this value by REST only, as a number of GraphQL would be rounded.\n`)
      .join('');
  const tabs: readonly Tab[] = [
    { id: 'curl', title: 'curl', snippets: () => [{ title: 'curl command', text: curlSnippet(current()) }] },
    {
      id: 'graphql',
      title: 'GraphQL',
      snippets: () => [
        { title: 'GraphQL document', text: noteOn('#') + leftOut() + endpoint.graphql.document },
        { title: 'variables', text: graphqlVariables(current()) },
      ],
    },
    {
      id: 'typescript',
      title: 'TypeScript',
      snippets: () => [{ title: 'TypeScript', text: typescriptSnippet(current()) }],
    },
    { id: 'python', title: 'Python', snippets: () => [{ title: 'Python', text: pythonSnippet(current()) }] },
    ...(maySeeSql
      ? [
          {
            id: 'bigquery',
            title: 'BigQuery console',
            snippets: () =>
              sql === undefined
                ? [{ title: 'BigQuery script', text: `-- ${status.textContent ?? ''}` }]
                : [{ title: 'BigQuery script', text: noteOn('--') + bigquerySnippet(sql, current()) }],
          },
        ]
      : []),
  ];
  const status = element('p', { role: 'status' }, 'Loading the SQL…');
  const shown = buildTabs(tabs, tab, onTab);
  const details = element('details', {}, element('summary', {}, 'SQL'), status);
  if (maySeeSql) {
    gateway.sql(endpoint.name).then(
      (text) => {
        sql = text;
        status.textContent = '';
        details.append(copyable({ title: 'SQL', text }, status));
        shown.refresh();
      },
      (error: unknown) => {
        status.textContent = `The SQL cannot be shown. ${error instanceof Error ? error.message : String(error)}`;
        shown.refresh();
      },
    );
  }
  const note = element(
    'p',
    { class: 'muted' },
    'The programs read the key from the environment variable QUERYGATE_KEY.',
  );
  return {
    element: section('code', 'From your code', note, shown.element, ...(maySeeSql ? [details] : [])),
    refresh: shown.refresh,
    show: shown.show,
  };
}
