import { parseSavedQuery } from '../../src/catalog/header/parse-saved-query.ts';
import type { SavedQuery } from '../../src/catalog/model/saved-query.ts';

export interface Draft {
  readonly name?: string;
  /** Columns as `name: type`, or as `name: <YAML value>` with more than the type. */
  readonly columns: Readonly<Record<string, string>>;
  readonly parameters?: Readonly<Record<string, string>>;
  readonly maxRows?: number;
  /** Lines of the header about the cache; without them it is disabled. */
  readonly caching?: readonly string[];
  readonly aliases?: readonly string[];
  readonly sql: string;
}

/** The text of a saved-query file. */
export function queryText({
  columns,
  parameters = {},
  maxRows = 1000,
  caching = ['caching: disabled'],
  aliases = [],
  sql,
  name = 'draft',
}: Draft): string {
  const lines = (section: Readonly<Record<string, string>>) =>
    Object.entries(section).map(
      ([key, value]) =>
        `  ${key}: ${value.startsWith('{') ? value : `{ type: ${value}, description: About ${key}. }`}`,
    );
  return [
    '/*---',
    `id: ${idOf(name)}`,
    ...(aliases.length > 0 ? ['aliases:', ...aliases.map((alias) => `  - ${alias}`)] : []),
    `description: About ${name}.`,
    `max_rows: ${maxRows}`,
    ...caching,
    ...(Object.keys(parameters).length > 0 ? ['parameters:', ...lines(parameters)] : []),
    'columns:',
    ...lines(columns),
    '---*/',
    sql,
    '',
  ].join('\n');
}

/** A saved query as the catalog contains it. */
export function draftQuery(draft: Draft): SavedQuery {
  const { query, problems } = parseSavedQuery(draft.name ?? 'draft', 'draft.sql', queryText(draft));
  if (query === undefined) throw new Error(JSON.stringify(problems));
  return query;
}

function idOf(name: string): string {
  const hex = Buffer.from(name).toString('hex').slice(0, 12).padEnd(12, '0');
  return `00000000-0000-4000-8000-${hex}`;
}

/** The text of a query that only others read. @param parameters as `queryText` has them */
export function partText(
  sql: string,
  parameters: Readonly<Record<string, string>> = {},
  header: readonly string[] = [],
): string {
  const declared = Object.entries(parameters).map(
    ([name, value]) =>
      `  ${name}: ${value.startsWith('{') ? value : `{ type: ${value}, description: About ${name}. }`}`,
  );
  return [
    '/*---',
    'serve: off',
    ...header,
    ...(declared.length > 0 ? ['parameters:', ...declared] : []),
    '---*/',
    sql,
    '',
  ].join('\n');
}
