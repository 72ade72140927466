import type { CompoundSelectStmt, Node, SelectStmt, SubSelect } from 'sql-parser-cst';
import { requireBool } from '../expr/comparison.ts';
import { windowText } from '../functions/windows.ts';
import { assemble } from '../passes/shredded.ts';
import { childOf, type FromItem, isPath, type Relation, type Scope, type Sql } from '../scope.ts';
import type { Translator } from '../translator.ts';
import { quote } from '../types.ts';
import { Unsupported } from '../unsupported.ts';
import {
  type Clause,
  type ClauseOf,
  type Clauses,
  clauseOf,
  conditionClause,
  fromAndWhere,
  isDistinct,
} from './clauses.ts';
import { noFrom, takeConditions, unknownItem, within } from './from-item.ts';
import { grouping } from './grouping.ts';
import { orderAndLimitText } from './order-limit.ts';
import {
  hasListedKeys,
  outputColumns,
  selectListText,
  withoutUnread,
  withRenderedRecords,
} from './output-columns.ts';
import { type Output, outputs, rowValue } from './select-list.ts';
import { collectParts, combineParts } from './set-operations.ts';
import { topNCondition } from './top-n.ts';
import { withClause } from './with.ts';

/** A query: one SELECT, a set operation, or a query in parentheses. */
export function query(node: SubSelect | SelectStmt, scope: Scope, tr: Translator): Relation {
  switch (node.type) {
    case 'select_stmt':
      return node.clauses.some(({ type }) => type === 'paren_expr')
        ? parenthesized(node, scope, tr)
        : select(node, scope, tr);
    case 'compound_select_stmt':
      return setOperation(node, scope, tr);
    case 'paren_expr': {
      const inner = query(node.expr, scope, tr);
      return { ...inner, text: `(${inner.text})` };
    }
  }
}

function select(node: SelectStmt, parent: Scope, tr: Translator): Relation {
  const clauses = clausesOf(node, parent, tr);
  const { ctes, item, columns, value, groupBy, orderAndLimit } = clauses;
  const distinct = isDistinct(node) ? 'DISTINCT ' : '';
  const grouped = distinct !== '' || groupBy !== '' || value;
  const simple = isSimple(node, item, columns);
  const topN =
    simple && orderAndLimit !== '' ? topNCondition(node, clauses, parent.parent === undefined, tr) : [];
  const rest = textAfterSelectList(clauses, topN);
  const textWith = (list: readonly Output[]) =>
    ctes.prependTo(`SELECT ${distinct}${selectListText(list, grouped)}${rest}`);

  const text = textWith(columns);
  const mayNarrow = distinct === '' && orderAndLimit === '' && !value && (simple || hasListedKeys(groupBy));
  // Without a top-n condition, ORDER BY and LIMIT would have all rows rendered before most are discarded.
  const mayRender = !grouped && (orderAndLimit === '' || topN.length > 0);
  return {
    text,
    columns: outputColumns(columns, grouped),
    simple: simple && orderAndLimit === '',
    ...(mayNarrow && {
      narrow: { of: text, text: (isRead) => textWith(withoutUnread(columns, groupBy, isRead)) },
    }),
    ...(mayRender && {
      rendered: { of: text, text: (render) => textWith(withRenderedRecords(columns, render)) },
    }),
    ...(value && { value }),
  };
}

/** Translates the clauses in the order in which they define the names that later clauses use. */
function clausesOf(node: SelectStmt, parent: Scope, tr: Translator): Clauses {
  for (const clause of node.clauses) {
    if (!supportedClauses.includes(clause.type)) tr.attempt(() => throwUnsupportedClause(clause), undefined);
  }
  const ctes = withClause(clauseOf(node, 'with_clause'), childOf(parent), tr);
  const item = tr.attempt(() => from(clauseOf(node, 'from_clause'), ctes.scope, tr), unknownItem(undefined));
  const scope = within(ctes.scope, item);
  const list = clauseOf(node, 'select_clause');
  if (!list) throw new Unsupported(node, 'expected a SELECT statement');

  const where = condition(clauseOf(node, 'where_clause')?.expr, 'WHERE', scope, tr);
  const selected = outputs(list, scope, tr);
  const value = rowValue(list, selected);
  const columns = value ? [value] : selected;
  const outputScope = { ...scope, aliases: aliasesOf(selected) };
  return {
    ctes,
    item,
    columns,
    value: value !== undefined,
    outputScope,
    groupBy: grouping(clauseOf(node, 'group_by_clause'), columns, scope, tr),
    having: condition(clauseOf(node, 'having_clause')?.expr, 'HAVING', outputScope, tr),
    qualify: condition(clauseOf(node, 'qualify_clause')?.expr, 'QUALIFY', outputScope, tr),
    windows: windowText(clauseOf(node, 'window_clause'), scope, tr),
    orderAndLimit: orderAndLimitText(node, columns, outputScope, tr),
    where: [...takeConditions(item), ...where],
  };
}

/** Everything after the select list, in the order of SQL. */
function textAfterSelectList(clauses: Clauses, topN: readonly string[]): string {
  const { groupBy, having, windows, qualify, orderAndLimit } = clauses;
  return [
    fromAndWhere(clauses, topN),
    groupBy,
    conditionClause('HAVING', having),
    windows,
    conditionClause('QUALIFY', qualify),
    orderAndLimit,
  ].join('');
}

/** `(SELECT …) ORDER BY …`: clauses after the parentheses can use the output columns only. */
function parenthesized(node: SelectStmt, parent: Scope, tr: Translator): Relation {
  const ctes = withClause(clauseOf(node, 'with_clause'), childOf(parent), tr);
  const inner = clauseOf(node, 'paren_expr');
  if (!inner) throw new Unsupported(node, 'expected a SELECT statement');
  const relation = query(inner.expr, ctes.scope, tr);
  const orderAndLimit = outerOrderAndLimit(relation, node, ctes.scope, tr);
  return {
    ...relation,
    text: ctes.prependTo(
      orderAndLimit === '' ? `(${relation.text})` : wrapInSelect(relation, orderAndLimit, tr),
    ),
  };
}

/** ORDER BY and LIMIT after a set operation apply to its result, though the parser attaches them to the last part. */
function setOperation(node: CompoundSelectStmt, parent: Scope, tr: Translator): Relation {
  const parts = collectParts(node);
  const [first] = parts.queries;
  const last = parts.queries.at(-1);
  if (!first || !last) throw new Unsupported(node, 'expected a SELECT statement');
  const ctes = withClause(
    first.type === 'select_stmt' ? clauseOf(first, 'with_clause') : undefined,
    childOf(parent),
    tr,
  );
  const relations = parts.queries.map((part) =>
    assemble(query(withoutOrderAndLimit(part, part === last), ctes.scope, tr), tr.fresh),
  );
  const combined = combineParts(node, parts.operator, relations, tr);
  if (last.type !== 'select_stmt') return { ...combined, text: ctes.prependTo(combined.text) };
  const orderAndLimit = outerOrderAndLimit(combined, last, ctes.scope, tr);
  return {
    ...combined,
    text: ctes.prependTo(orderAndLimit === '' ? combined.text : wrapInSelect(combined, orderAndLimit, tr)),
  };
}

const wrapInSelect = ({ text }: Relation, orderAndLimit: string, tr: Translator) =>
  `SELECT * FROM (${text}) AS ${quote(tr.fresh('all'))}${orderAndLimit}`;

function outerOrderAndLimit(relation: Relation, node: SelectStmt, scope: Scope, tr: Translator): string {
  const columns = relation.columns.map((column) => ({ ...column, text: quote(column.name), aliased: true }));
  const range = { name: undefined, columns };
  // The select clause, and so its DISTINCT, belongs to the last part, not to the result.
  const bare = { ...node, clauses: node.clauses.filter(({ type }) => type !== 'select_clause') };
  return orderAndLimitText(bare, columns, { ...scope, ranges: [range], merged: [] }, tr);
}

/** Whether a SELECT is a plain filter and projection of one relation, ordered or not. */
const isSimple = (node: SelectStmt, item: FromItem, columns: readonly Output[]): boolean =>
  node.clauses.every(({ type }) => simpleClauses.includes(type)) &&
  !isDistinct(node) &&
  item.unnestTargets.length === 1 &&
  item.ranges.length === 1 &&
  columns.every(({ text, shredded }) => shredded !== undefined || isPath(text));

const simpleClauses: readonly Clause['type'][] = [
  'with_clause',
  'select_clause',
  'from_clause',
  'where_clause',
  'order_by_clause',
  'limit_clause',
];

const orderAndLimitClauses: readonly Clause['type'][] = ['order_by_clause', 'limit_clause'];

function withoutOrderAndLimit(node: SubSelect, last: boolean): SubSelect {
  if (node.type !== 'select_stmt') return node;
  const clauses = node.clauses.filter(
    ({ type }) => type !== 'with_clause' && !(last && orderAndLimitClauses.includes(type)),
  );
  const [only] = clauses;
  if (clauses.length === 1 && only?.type === 'paren_expr') return only.expr;
  return { ...node, clauses };
}

const supportedClauses: readonly Clause['type'][] = [
  'with_clause',
  'select_clause',
  'from_clause',
  'where_clause',
  'group_by_clause',
  'having_clause',
  'qualify_clause',
  'window_clause',
  'order_by_clause',
  'limit_clause',
];

function throwUnsupportedClause(clause: Node): never {
  throw new Unsupported(clause, `${clause.type.replaceAll('_', ' ')} is not supported`);
}

const from = (clause: ClauseOf<'from_clause'> | undefined, scope: Scope, tr: Translator): FromItem =>
  clause ? tr.from(clause.expr, scope) : noFrom;

function condition(expr: Node | undefined, keyword: string, scope: Scope, tr: Translator): readonly string[] {
  if (!expr) return [];
  const test = tr.expr(expr, scope);
  tr.attempt(() => requireBool(expr, test, keyword), undefined);
  return [test.text];
}

const aliasesOf = (columns: readonly Output[]): ReadonlyMap<string, Sql> =>
  new Map(columns.filter(({ aliased }) => aliased).map((column) => [column.name.toLowerCase(), column]));
