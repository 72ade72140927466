import type { Column, Endpoint } from '../endpoint.ts';
import type { Json } from '../json.ts';
import { timestampText } from '../timestamp.ts';
import type { Order } from '../view.ts';
import type { ParameterValues } from './values.ts';

/** The parts of an endpoint that decide which row arguments its address may have: filters, orders and pages. */
type RowsOfEndpoint = Pick<Endpoint, 'parameters' | 'filter' | 'order' | 'pageKeys' | 'maxRows'>;

const treeNames = ['and', 'or', 'not.and', 'not.or'];
const pageNames = ['limit', 'after', 'before'];

/** The names of row arguments. Parameters of the query are its own, whatever their names. */
export function rowArgumentNames({ parameters, filter, order, pageKeys }: RowsOfEndpoint): readonly string[] {
  const names = new Set([
    ...(filter.length + order.length === 0
      ? []
      : [...filter, ...order, ...treeNames, 'order', 'limit', 'offset']),
    ...(pageKeys.length === 0 ? [] : pageNames),
  ]);
  for (const { name } of parameters) names.delete(name);
  return [...names];
}

/** The row arguments among values. */
export function rowArgumentsIn(endpoint: RowsOfEndpoint, values: ParameterValues): ParameterValues {
  const names = new Set(rowArgumentNames(endpoint));
  return new Map([...values].filter(([name]) => names.has(name)));
}

/** The values without the place of a page, which is another one if the rows are others. */
export const withoutPage = (endpoint: RowsOfEndpoint, values: ParameterValues): ParameterValues =>
  endpoint.pageKeys.length === 0
    ? values
    : new Map([...values].filter(([name]) => !pageNames.includes(name) || isDeclared(endpoint, name)));

/** With the size of a page, so that the gateway says which one is next; conditions do not go together with pages. */
export function withPageSize(endpoint: RowsOfEndpoint, values: ParameterValues): ParameterValues {
  const { pageKeys, maxRows } = endpoint;
  if (pageKeys.length === 0 || maxRows === undefined || isDeclared(endpoint, 'limit')) return values;
  const others = [...rowArgumentsIn(endpoint, values).keys()].filter((name) => !pageNames.includes(name));
  if (others.length > 0 || values.has('limit')) return values;
  return new Map([...values, ['limit', [String(maxRows)]]]);
}

/** Another page of the same size. @param name of the cursor */
export function withCursor(
  endpoint: RowsOfEndpoint,
  values: ParameterValues,
  name: 'after' | 'before',
  cursor: string,
): ParameterValues {
  const { limit } = Object.fromEntries(withPageSize(endpoint, values));
  return new Map([
    ...withoutPage(endpoint, values),
    ...(limit === undefined ? [] : [['limit', limit] as const]),
    [name, [cursor]],
  ]);
}

/** By which column the gateway orders the rows, or by which one first. */
export function orderIn(endpoint: RowsOfEndpoint, values: ParameterValues): Order | undefined {
  const [text = ''] = rowArgumentsIn(endpoint, values).get('order') ?? [];
  const [column = '', direction] = text.split(',', 1)[0]?.split('.') ?? [];
  return column === '' ? undefined : { column, descending: direction === 'desc' };
}

/** The order after a press of a column's name: ascending, descending, as the query ordered the rows. */
export function withNextOrder(
  endpoint: RowsOfEndpoint,
  values: ParameterValues,
  column: string,
): ParameterValues {
  const before = orderIn(endpoint, values);
  const isSame = before?.column === column;
  const next = new Map(withoutPage(endpoint, values));
  if (isSame && before?.descending) next.delete('order');
  else next.set('order', [`${column}.${isSame ? 'desc' : 'asc'}`]);
  return next;
}

/** @returns undefined if rows cannot be filtered by this value */
export function conditionOf(
  endpoint: RowsOfEndpoint,
  column: Column,
  value: Json | undefined,
): readonly [name: string, text: string] | undefined {
  const { name } = column;
  const isOwn = isDeclared(endpoint, name) || reserved.includes(name);
  if (!endpoint.filter.includes(name) || (isOwn && isDeclared(endpoint, 'and'))) return undefined;
  const operand = operandOf(column, value);
  if (operand === undefined) return undefined;
  if (!isOwn) return [name, operand];
  return [
    'and',
    `(${name}.${operand.replace(/(?<=^eq\.).*/s, (text) => `"${text.replace(/["\\]/g, '\\$&')}"`)})`,
  ];
}

/** Columns of these names can be filtered in a tree only. */
const reserved = [...treeNames, ...pageNames, 'order', 'offset', 'select', 'format', 'sql'];

/** Longer texts do not fit into an address together. */
const maxOperandLength = 240;

function operandOf({ type, repeated }: Column, value: Json | undefined): string | undefined {
  if (value === undefined) return 'is.null';
  if (repeated || value === null || typeof value === 'object') return undefined;
  if (typeof value === 'boolean') return `is.${value}`;
  const isMoment = type === 'timestamp' && typeof value !== 'string';
  const text = isMoment ? `${timestampText(value).replace(' ', 'T')}Z` : String(value);
  return text.length > maxOperandLength ? undefined : `eq.${text}`;
}

export function withCondition(
  endpoint: RowsOfEndpoint,
  values: ParameterValues,
  [name, text]: readonly [string, string],
): ParameterValues {
  const others = (values.get(name) ?? []).filter((one) => one !== text);
  return new Map(withoutPage(endpoint, values)).set(name, [...others, text]);
}

/** A row argument that people see and remove; the order is in the head of its column. */
export interface ShownArgument {
  readonly name: string;
  readonly text: string;
  /** As people read it: `status = 404`. */
  readonly label: string;
}

export function shownArguments(endpoint: RowsOfEndpoint, values: ParameterValues): readonly ShownArgument[] {
  return [...rowArgumentsIn(endpoint, values)]
    .filter(([name]) => name !== 'order' && !(name === 'limit' && endpoint.pageKeys.length > 0))
    .flatMap(([name, texts]) => texts.map((text) => ({ name, text, label: labelOf(name, text) })));
}

export function withoutArgument(
  endpoint: RowsOfEndpoint,
  values: ParameterValues,
  { name, text }: ShownArgument,
): ParameterValues {
  const next = new Map(withoutPage(endpoint, values));
  const left = (next.get(name) ?? []).filter((one) => one !== text);
  if (left.length === 0) next.delete(name);
  else next.set(name, left);
  return next;
}

const signs: Readonly<Record<string, string>> = {
  eq: '=',
  neq: '≠',
  ne: '≠',
  lt: '<',
  lte: '≤',
  gt: '>',
  gte: '≥',
  like: 'is like',
  in: 'is in',
  is: 'is',
};

function labelOf(name: string, text: string): string {
  if (name === 'after' || name === 'before') return `Rows ${name} those of another page`;
  if (name === 'limit') return `At most ${text} rows`;
  if (name === 'offset') return `Without the first ${text} rows`;
  const [, column = '', operand = ''] = /^\((\w+)\.((?:eq\."(?:[^"\\]|\\.)*"|is\.\w+))\)$/s.exec(text) ?? [];
  if (name === 'and' && column !== '')
    return labelOf(
      column,
      operand.replace(/^eq\."(.*)"$/s, (_, quoted) => `eq.${quoted.replace(/\\(.)/gs, '$1')}`),
    );
  const [, negated = '', operator = '', value = ''] = /^(not\.)?(\w+)\.(.*)$/s.exec(text) ?? [];
  const sign = Object.hasOwn(signs, operator) ? signs[operator] : undefined;
  if (treeNames.includes(name) || sign === undefined) return `${name} ${text}`;
  const shown =
    operator === 'is' ? value.toUpperCase().replace('_', ' ') : value === '' ? 'empty text' : value;
  return `${negated === '' ? '' : 'not '}${name} ${sign} ${shown}`;
}

const isDeclared = ({ parameters }: RowsOfEndpoint, name: string) =>
  parameters.some((parameter) => parameter.name === name);
