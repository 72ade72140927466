import type { CompoundSelectStmt, Node, SelectStmt, SubSelect } from 'sql-parser-cst';
import { requireBool } from '../expr/operators.ts';
import { windowText } from '../functions/windows.ts';
import { assemble } from '../passes/assemble.ts';
import { childOf, isPath, type Relation, type Scope, type Sql } from '../scope.ts';
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
  noFrom,
} from './clauses.ts';
import { type FromItem, fromItem, takeConditions, unknownItem, within } from './from.ts';
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

/** A whole query: one SELECT, several under a set operator, or one in parentheses. */
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
  const late =
    simple && orderAndLimit !== '' ? topNCondition(node, clauses, parent.parent === undefined, tr) : [];
  const behind = textAfterSelectList(clauses, late);
  const written = (list: readonly Output[]) =>
    ctes.before(`SELECT ${distinct}${selectListText(list, grouped)}${behind}`);

  const text = written(columns);
  const mayNarrow = distinct === '' && orderAndLimit === '' && !value && (simple || hasListedKeys(groupBy));
  // Before they are sorted and cut, too many rows would be told.
  const mayTell = !grouped && (orderAndLimit === '' || late.length > 0);
  return {
    text,
    columns: outputColumns(columns, grouped),
    simple: simple && orderAndLimit === '',
    ...(mayNarrow && {
      narrow: { of: text, text: (isRead) => written(withoutUnread(columns, groupBy, isRead)) },
    }),
    ...(mayTell && { rendered: { of: text, text: (tell) => written(withRenderedRecords(columns, tell)) } }),
    ...(value && { value }),
  };
}

/** The clauses in the order in which their names come into being. */
function clausesOf(node: SelectStmt, parent: Scope, tr: Translator): Clauses {
  for (const clause of node.clauses) {
    if (!supportedClauses.includes(clause.type)) tr.attempt(() => throwUnsupportedClause(clause), undefined);
  }
  const ctes = withClause(clauseOf(node, 'with_clause'), childOf(parent), tr);
  const item = tr.attempt(() => from(clauseOf(node, 'from_clause'), ctes.scope, tr), unknownItem(undefined));
  const scope = within(ctes.scope, item);
  const list = clauseOf(node, 'select_clause');
  if (!list) throw new Unsupported(node, 'a SELECT is wanted here');

  const asked = condition(clauseOf(node, 'where_clause')?.expr, 'WHERE', scope, tr);
  const listed = outputs(list, scope, tr);
  const value = rowValue(list, listed);
  const columns = value ? [value] : listed;
  const outputScope = { ...scope, aliases: aliasesOf(listed) };
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
    where: [...takeConditions(item), ...asked],
  };
}

/** What stands behind the select list, in the order of SQL. */
function textAfterSelectList(clauses: Clauses, late: readonly string[]): string {
  const { groupBy, having, windows, qualify, orderAndLimit } = clauses;
  return [
    fromAndWhere(clauses, late),
    groupBy,
    conditionClause('HAVING', having),
    windows,
    conditionClause('QUALIFY', qualify),
    orderAndLimit,
  ].join('');
}

/** `(SELECT …) ORDER BY …`: what stands behind the parentheses sees the columns only. */
function parenthesized(node: SelectStmt, parent: Scope, tr: Translator): Relation {
  const ctes = withClause(clauseOf(node, 'with_clause'), childOf(parent), tr);
  const inner = clauseOf(node, 'paren_expr');
  if (!inner) throw new Unsupported(node, 'a SELECT is wanted here');
  const relation = query(inner.expr, ctes.scope, tr);
  const orderAndLimit = outerOrderAndLimit(relation, node, ctes.scope, tr);
  return {
    ...relation,
    text: ctes.before(
      orderAndLimit === '' ? `(${relation.text})` : wrapInSelect(relation, orderAndLimit, tr),
    ),
  };
}

/** ORDER BY and LIMIT behind a set operation belong to the whole, though the tree hangs them on its last part. */
function setOperation(node: CompoundSelectStmt, parent: Scope, tr: Translator): Relation {
  const parts = collectParts(node);
  const [first] = parts.queries;
  const last = parts.queries.at(-1);
  if (!first || !last) throw new Unsupported(node, 'a SELECT is wanted here');
  const ctes = withClause(
    first.type === 'select_stmt' ? clauseOf(first, 'with_clause') : undefined,
    childOf(parent),
    tr,
  );
  const relations = parts.queries.map((part) =>
    assemble(query(withoutOrderAndLimit(part, part === last), ctes.scope, tr), tr),
  );
  const united = combineParts(node, parts.operator, relations, tr);
  if (last.type !== 'select_stmt') return { ...united, text: ctes.before(united.text) };
  const orderAndLimit = outerOrderAndLimit(united, last, ctes.scope, tr);
  return {
    ...united,
    text: ctes.before(orderAndLimit === '' ? united.text : wrapInSelect(united, orderAndLimit, tr)),
  };
}

const wrapInSelect = ({ text }: Relation, orderAndLimit: string, tr: Translator) =>
  `SELECT * FROM (${text}) AS ${quote(tr.fresh('all'))}${orderAndLimit}`;

function outerOrderAndLimit(relation: Relation, node: SelectStmt, scope: Scope, tr: Translator): string {
  const columns = relation.columns.map((column) => ({ ...column, text: quote(column.name), aliased: true }));
  const range = { name: undefined, columns };
  // The tree hangs DISTINCT of the last part beside the clauses of the whole.
  const bare = { ...node, clauses: node.clauses.filter(({ type }) => type !== 'select_clause') };
  return orderAndLimitText(bare, columns, { ...scope, ranges: [range], merged: [] }, tr);
}

/** Whether a SELECT gives columns of some rows of one relation, in whatever order. */
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
  clause ? fromItem(clause.expr, scope, tr) : noFrom;

function condition(expr: Node | undefined, keyword: string, scope: Scope, tr: Translator): readonly string[] {
  if (!expr) return [];
  const test = tr.expr(expr, scope);
  tr.attempt(() => requireBool(expr, test, keyword), undefined);
  return [test.text];
}

const aliasesOf = (columns: readonly Output[]): ReadonlyMap<string, Sql> =>
  new Map(columns.filter(({ aliased }) => aliased).map((column) => [column.name.toLowerCase(), column]));
