import { formOf, recentForm } from './query-forms.ts';
import type { Column, OrderKey, PlainParameter, PushedSource, SavedQuery } from './saved-query.ts';

/** Before the names of parameters that arguments become; a query that is pushed declares no such name. */
export const pushedPrefix = 'push_';

const [limitParameter, offsetParameter] = [`${pushedPrefix}limit`, `${pushedPrefix}offset`];

/** Arguments as SQL over the columns of a query. */
export interface PushedArguments {
  /** A condition. */
  readonly where: string;
  /** The declarations of its parameters. */
  readonly parameters: readonly PlainParameter[];
}

/**
 * The form of a query that returns those of all its rows which arguments keep, with `limitParameter` and `offsetParameter`.
 * Rows that are equal keep the order of the SQL.
 */
export const pushedRows = (
  query: SavedQuery,
  { where, parameters, orderBy }: PushedArguments & { readonly orderBy: readonly OrderKey[] },
): SavedQuery => recentForm(query, rowsForm(query, where, orderBy, parameters));

/** The values of the parameters that `pushedRows` adds. @param first undefined: as many as a result has */
export const pushedRange = ({ maxRows }: SavedQuery, offset: number, first: number | undefined) => ({
  // A row more than a result has says that there are more.
  [limitParameter]: String(Math.min(first ?? maxRows + 1, maxRows + 1)),
  [offsetParameter]: String(offset),
});

/** The form of a query that returns one row of values computed from those of all its rows which a condition keeps. */
export const pushedAggregates = (
  query: SavedQuery,
  { where, parameters }: PushedArguments,
  values: readonly { readonly column: Column; readonly sql: string }[],
): SavedQuery => {
  const select = values.map(({ column, sql }) => `${sql} as ${quote(column.name)}`).join(', ');
  return recentForm(query, {
    sql: `${around(query, select)}\nwhere ${where}\n`,
    parameters: [...query.parameters, ...parameters],
    columns: values.map(({ column }) => column),
    maxRows: 1,
  });
};

/** The form that is checked in place of all pushed forms of a query; none if it is not pushed. */
export function pushedExample(query: SavedQuery): readonly SavedQuery[] {
  const { push, filter = [], order = [] } = query.rowArguments ?? {};
  if (push === undefined) return [];
  const orderBy = [...new Set([...filter, ...order])].map(({ name }) => ascending(name));
  return [formOf(query, rowsForm(query, 'true', orderBy, []))];
}

const ascending = (column: string): OrderKey => ({ column, descending: false, nullsFirst: true });

function rowsForm(
  query: SavedQuery,
  where: string,
  orderBy: readonly OrderKey[],
  parameters: readonly PlainParameter[],
) {
  const keys = [...orderBy, ...(query.rowArguments?.push?.order ?? [])];
  const order = keys.map((key) => orderText(query, key));
  const names = query.columns.map(({ name }) => quote(name)).join(', ');
  return {
    sql: `${around(query, names)}
where ${where}${order.length === 0 ? '' : `\norder by ${order.join(', ')}`}
limit @${limitParameter} offset @${offsetParameter}
`,
    parameters: [...query.parameters, ...parameters, count(limitParameter), count(offsetParameter)],
    columns: query.columns,
    maxRows: query.maxRows,
  };
}

/** Lines of the SQL keep their numbers. */
function around({ sql, rowArguments }: SavedQuery, select: string): string {
  const { start, end } = requirePush(rowArguments?.push);
  return `${sql.slice(0, start)} select ${select} from (${sql.slice(start, end)}
) as pushed_rows`;
}

function requirePush(push: PushedSource | undefined): PushedSource {
  if (push === undefined) throw new TypeError('a query that is not pushed');
  return push;
}

const orderText = ({ columns }: SavedQuery, { column: name, descending, nullsFirst }: OrderKey): string => {
  const type = columns.find((column) => column.name === name)?.type ?? 'string';
  return `${comparable({ name, type })}${descending ? ' desc' : ''} nulls ${nullsFirst ? 'first' : 'last'}`;
};

/** The value of a column as it is compared: rows have NULL in place of NaN and infinities. */
export function comparable({ name, type }: Pick<Column, 'name' | 'type'>): string {
  const column = quote(name);
  return type === 'float' ? `if(is_nan(${column}) or is_inf(${column}), null, ${column})` : column;
}

const quote = (name: string): string => `\`${name}\``;

/** A parameter that an argument becomes. @param bind as `ParameterBase.bind`: with it, empty text would be NULL */
export const pushedParameter = (
  name: string,
  type: PlainParameter['type'],
  bind: PlainParameter['bind'],
  repeated = false,
): PlainParameter => ({
  name,
  type,
  ...(bind && { bind }),
  repeated,
  required: true,
  default: undefined,
  example: undefined,
  description: 'Of row arguments.',
});

const count = (name: string) => pushedParameter(name, 'integer', 'INT64');
