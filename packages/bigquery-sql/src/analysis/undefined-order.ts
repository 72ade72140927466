import type * as Syntax from '../syntax/nodes.ts';
import { parseQuery } from '../syntax/parse-query.ts';
import { SyntaxProblem } from '../syntax/syntax-problem.ts';
import { walk } from '../syntax/walk.ts';

/** The columns of SQL, in lower case, whose values depend on an order that the SQL does not say. */
export interface UndefinedOrders {
  /** Of arrays: ARRAY_AGG and ARRAY(SELECT …) without ORDER BY. */
  readonly arrays: ReadonlySet<string>;
  /** Of texts: STRING_AGG without ORDER BY. */
  readonly texts: ReadonlySet<string>;
}

/** Follows columns by their names, also into subqueries: of two columns with one name, both count. Empty for a text that is not GoogleSQL. */
export function undefinedOrders(sql: string): UndefinedOrders {
  const items = selectItems(sql);
  const columnsWith = (isUnordered: (node: Syntax.Node) => boolean) => {
    const known = new Map<string, boolean>();
    const has = (name: string): boolean => {
      const before = known.get(name);
      if (before !== undefined) return before;
      // A column may be computed from one of its own name.
      known.set(name, false);
      const found = (items.get(name) ?? []).some((expression) => hasNode(expression, isUnordered, has));
      known.set(name, found);
      return found;
    };
    return new Set([...items.keys()].filter(has));
  };
  return { arrays: columnsWith(isUnorderedArray), texts: columnsWith(isUnorderedText) };
}

/** The expressions of all columns of all queries in a text, by name. */
function selectItems(sql: string): ReadonlyMap<string, readonly Syntax.Expression[]> {
  const items = new Map<string, Syntax.Expression[]>();
  try {
    walk(parseQuery(sql), (node) => {
      if (node.kind !== 'SelectExpression') return;
      const { alias, expression } = node;
      const path = expression.kind === 'Path' ? expression.parts.at(-1) : undefined;
      const name = (alias ?? path)?.name.toLowerCase();
      if (name !== undefined) items.set(name, [...(items.get(name) ?? []), expression]);
    });
  } catch (error) {
    if (!(error instanceof SyntaxProblem)) throw error;
  }
  return items;
}

function hasNode(
  expression: Syntax.Expression,
  test: (node: Syntax.Node) => boolean,
  isColumn: (name: string) => boolean,
): boolean {
  let found = false;
  walk(expression, (node) => {
    const name = node.kind === 'Path' ? node.parts.at(-1)?.name.toLowerCase() : undefined;
    found ||= test(node) || (name !== undefined && isColumn(name));
  });
  return found;
}

function isUnorderedArray(node: Syntax.Node): boolean {
  if (node.kind === 'ArraySubquery') return node.query.orderBy.length === 0;
  return isCallWithoutOrder(node, ['array_agg', 'array_concat_agg']);
}

const isUnorderedText = (node: Syntax.Node): boolean => isCallWithoutOrder(node, ['string_agg']);

const isCallWithoutOrder = (node: Syntax.Node, names: readonly string[]): boolean =>
  node.kind === 'FunctionCall' &&
  names.includes(node.name.parts.at(-1)?.name.toLowerCase() ?? '') &&
  node.orderBy.length === 0 &&
  node.over === undefined;

/** True if SQL defines the order of its rows. */
export function hasOrder(sql: string): boolean {
  const { body, orderBy, pipes } = parseQuery(sql).query;
  const inner = body.kind === 'Query' ? body.orderBy : [];
  return orderBy.length > 0 || inner.length > 0 || pipes.some(({ kind }) => kind === 'PipeOrderBy');
}

/** True if the result of SQL depends on the time of the run. */
export const readsClock = (sql: string): boolean => /\bcurrent_(?:timestamp|date|datetime|time)\b/i.test(sql);
