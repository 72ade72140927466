import type { Source } from '@querygate/bigquery-sql/problem';
import { parseQuery, type Syntax, walk } from '@querygate/bigquery-sql/syntax';
import type { TableSchema } from '@querygate/bigquery-sql/table-schema';
import { compileTree, forEachNode } from '@querygate/bigquery-sql/tree';
import type { SavedQuery } from '../../catalog/model/saved-query.ts';
import { StartError } from '../../errors.ts';
import { fieldLiteral, fieldType, memberOf, quoteName, quoteText } from './fixture-literal.ts';

interface FixtureSqlOptions extends Pick<SavedQuery, 'sql' | 'source' | 'parameters'> {
  readonly tables: readonly TableSchema[];
  /** The rows of each table; a table without rows is empty. */
  readonly rows: Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>;
  readonly now: Date;
}

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Names of common tables that no query has. */
const prefix = 'querygate_test_';

/** BigQuery's limit for the text of a query. */
const maxCharacters = 1_000_000;

/**
 * SQL that reads the given rows instead of tables, and that has a fixed time: the rows are common tables of the query
 * itself, so that it needs no table, creates none, and reads nothing that is billed.
 *
 * @throws StartError if the SQL reads a table that is not declared
 */
export function withFixtures({ sql, source, parameters, tables, rows, now }: FixtureSqlOptions): string {
  const statement = parseQuery(sql);
  const names = tablesAt(compileTree({ sql, source, parameters }, tables).query);
  const edits: Edit[] = [];
  const read = new Set<string>();
  walk(statement, (node, around) => {
    const clock = clockText(node, now, sql);
    if (clock !== undefined) edits.push({ start: node.start, end: node.end, text: clock });
    if (node.kind !== 'Table') return;
    const found = names.get(node.path.start) ?? unreadTable(node, around, tables);
    if (found === undefined) return;
    const [name, another] = found;
    if (name === undefined || another !== undefined) {
      throw fixtureError(source, "a test on BigQuery can't replace a wildcard table: run it on DuckDB");
    }
    read.add(name);
    const { path, alias } = node;
    const own = alias === undefined ? ` AS ${quoteName(path.parts.at(-1)?.name ?? name)}` : '';
    edits.push({ start: path.start, end: path.end, text: `${quoteName(prefix + name)}${own}` });
  });
  const fixtures = tables
    .filter(({ name }) => read.has(name))
    .map((table) => commonTable(table, rows[table.name] ?? []));
  if (fixtures.length > 0) edits.push(withEdit(statement.query, fixtures.join(',\n')));
  const text = applyEdits(sql, edits);
  if (text.length <= maxCharacters) return text;
  throw fixtureError(
    source,
    `the query and its rows have ${text.length} characters; BigQuery takes ${maxCharacters}`,
  );
}

const fixtureError = (source: Source, message: string) =>
  new StartError('A test cannot run on BigQuery', [{ ...source, message }]);

/** The tables of a query, by the place where the SQL names them; a wildcard names several. */
function tablesAt(query: Parameters<typeof forEachNode>[0]): ReadonlyMap<number, readonly string[]> {
  const found = new Map<number, readonly string[]>();
  forEachNode(query, (node) => {
    if (node.kind !== 'table') return;
    const others = (found.get(node.start) ?? []).filter((name) => name !== node.name);
    found.set(node.start, [...others, node.name]);
  });
  return found;
}

/** The table in a part of the query that the compiler leaves out, because nothing reads it; BigQuery looks it up all the same. */
function unreadTable(
  { path: { parts } }: Syntax.Table,
  around: readonly Syntax.Node[],
  tables: readonly TableSchema[],
): readonly string[] | undefined {
  const [first, another] = parts;
  const name = first.name.toLowerCase();
  const table = tables.find((one) => one.name.toLowerCase() === name);
  return another !== undefined || table === undefined || isCommon(name, around) ? undefined : [table.name];
}

/** Whether a name is that of a common table where it is used: a common table sees only those before it. */
function isCommon(name: string, around: readonly Syntax.Node[]): boolean {
  return around.some((node) => {
    if (node.kind !== 'Query' || node.with === undefined) return false;
    const { recursive, tables } = node.with;
    const own = tables.findIndex((table) => around.includes(table));
    const visible = own < 0 ? tables : tables.slice(0, recursive ? own + 1 : own);
    return visible.some((table) => table.name.name.toLowerCase() === name);
  });
}

function commonTable(
  { name, fields }: TableSchema,
  rows: readonly Readonly<Record<string, unknown>>[],
): string {
  const type = `STRUCT<${fields.map((field) => `${quoteName(field.name)} ${fieldType(field)}`).join(', ')}>`;
  const items = rows.map(
    (row) => `(${fields.map((field) => fieldLiteral(field, memberOf(row, field.name))).join(', ')})`,
  );
  // A struct of one field needs its type: (1) is a number.
  const typed = fields.length === 1 ? items.map((item) => `${type}${item}`) : items;
  return `${quoteName(prefix + name)} AS (SELECT * FROM UNNEST(ARRAY<${type}>[${typed.join(', ')}]))`;
}

function withEdit(query: Syntax.Query, tables: string): Edit {
  const first = query.with?.tables[0];
  if (first !== undefined) return { start: first.start, end: first.start, text: `${tables},\n` };
  return { start: query.start, end: query.start, text: `WITH ${tables}\n` };
}

/** What a function of the clock returns at a fixed time. */
function clockText(node: Syntax.Node, now: Date, sql: string): string | undefined {
  const name = clockName(node);
  const time = `TIMESTAMP ${quoteText(now.toISOString())}`;
  const zone =
    node.kind === 'FunctionCall' && node.args[0] ? sql.slice(node.args[0].start, node.args[0].end) : "'UTC'";
  switch (name) {
    case 'CURRENT_TIMESTAMP':
      return `(${time})`;
    case 'CURRENT_DATE':
    case 'CURRENT_DATETIME':
    case 'CURRENT_TIME':
      return `${name.slice('CURRENT_'.length)}(${time}, ${zone})`;
    default:
      return undefined;
  }
}

function clockName(node: Syntax.Node): string | undefined {
  const path = node.kind === 'FunctionCall' ? node.name : node.kind === 'Path' ? node : undefined;
  const [first, ...rest] = path?.parts ?? [];
  return first === undefined || first.quoted || rest.length > 0 ? undefined : first.name.toUpperCase();
}

function applyEdits(sql: string, edits: readonly Edit[]): string {
  let text = sql;
  let before = Number.POSITIVE_INFINITY;
  for (const { start, end, text: replacement } of edits.toSorted(
    (a, b) => b.start - a.start || b.end - a.end,
  )) {
    // The name of a function is a node of its own, within the call that is replaced.
    if (end > before) continue;
    text = text.slice(0, start) + replacement + text.slice(end);
    before = start;
  }
  return text;
}
