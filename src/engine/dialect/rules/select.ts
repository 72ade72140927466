import type { CompoundSelectStmt, Node, SelectStmt, SubSelect } from 'sql-parser-cst';
import { Refusal } from '../refusal.ts';
import { childOf, isPath, type Relation, type Scope, type Sql } from '../scope.ts';
import { handedOn, isThere, type StoredColumn } from '../spread.ts';
import type { Translator } from '../translator.ts';
import { quote } from '../type.ts';
import { whole } from '../whole.ts';
import { anything, type FromItem, fromItem, takeConditions, within } from './from.ts';
import { grouping, isOrdinal } from './grouping.ts';
import { requireBool } from './operators.ts';
import { orderText, type SortKey } from './order.ts';
import { type Output, outputs, rowValue } from './select-list.ts';
import { flatten, unite } from './set-operations.ts';
import { threshold } from './threshold.ts';
import { windowText } from './windows.ts';
import { withClause } from './with.ts';

type Clause = SelectStmt['clauses'][number];
type ClauseOf<T extends Clause['type']> = Extract<Clause, { type: T }>;

/** A whole query: one SELECT, several under a set operator, or one in parentheses. */
export function query(node: SubSelect | SelectStmt, scope: Scope, to: Translator): Relation {
  switch (node.type) {
    case 'select_stmt':
      return node.clauses.some(({ type }) => type === 'paren_expr')
        ? parenthesised(node, scope, to)
        : select(node, scope, to);
    case 'compound_select_stmt':
      return setOperation(node, scope, to);
    case 'paren_expr': {
      const inner = query(node.expr, scope, to);
      return { ...inner, text: `(${inner.text})` };
    }
  }
}

/** The clauses in the order in which their names come into being, written in the order of SQL. */
function select(node: SelectStmt, parent: Scope, to: Translator): Relation {
  for (const clause of node.clauses) {
    if (!known.includes(clause.type)) to.attempt(() => refuse(clause), undefined);
  }
  const ctes = withClause(clauseOf(node, 'with_clause'), childOf(parent), to);
  const item = to.attempt(() => from(clauseOf(node, 'from_clause'), ctes.scope, to), anything(undefined));
  const scope = within(ctes.scope, item);
  const list = clauseOf(node, 'select_clause');
  if (!list) throw new Refusal(node, 'a SELECT is wanted here');

  const asked = condition(clauseOf(node, 'where_clause')?.expr, 'WHERE', scope, to);
  const listed = outputs(list, scope, to);
  const value = rowValue(list, listed);
  const columns = value ? [value] : listed;
  const named = { ...scope, aliases: aliasesOf(listed) };
  const groupBy = grouping(clauseOf(node, 'group_by_clause'), columns, scope, to);
  const having = condition(clauseOf(node, 'having_clause')?.expr, 'HAVING', named, to);
  const qualify = condition(clauseOf(node, 'qualify_clause')?.expr, 'QUALIFY', named, to);
  const windows = windowText(clauseOf(node, 'window_clause'), scope, to);
  const ends = ending(node, columns, named, to);

  const distinct = isDistinct(node) ? 'DISTINCT ' : '';
  const grouped = distinct !== '' || groupBy !== '' || value !== undefined;
  const where = [...takeConditions(item), ...asked];
  const source = item === nothing ? '' : ` FROM ${item.text()}`;
  const simple = isSimple(node, item, columns);
  const rows = `${source}${clause('WHERE', where)}`;
  const late =
    simple && ends !== ''
      ? threshold(node, columns, rows, named, to, parent.parent ? undefined : ctes.before)
      : [];
  const clauses = [
    source,
    clause('WHERE', [...where, ...late]),
    groupBy,
    clause('HAVING', having),
    windows,
    clause('QUALIFY', qualify),
    ends,
  ].join('');
  const written = (list: readonly Output[]) =>
    ctes.before(`SELECT ${distinct}${selected(list, grouped)}${clauses}`);
  const text = written(columns);
  const isPlain = distinct === '' && ends === '' && !value;
  const mayNarrow = isPlain && (simple || (groupBy !== '' && groupBy !== ' GROUP BY ALL'));
  return {
    text,
    columns: handed(columns, grouped),
    simple: simple && ends === '',
    ...(mayNarrow && {
      narrow: { of: text, text: (isRead) => written(withoutUnread(columns, groupBy, isRead)) },
    }),
    ...(value && { value: true }),
  };
}

/** Keys of GROUP BY, which names them by their place, are left as they are. */
const withoutUnread = (
  columns: readonly Output[],
  groupBy: string,
  isRead: (column: string) => boolean,
): readonly Output[] => {
  const places: readonly string[] = groupBy.match(/\b\d+\b/g) ?? [];
  return columns.map((column, at) => {
    if (isRead(column.name) || places.includes(String(at + 1))) return column;
    const { spread: _, ...unread } = column;
    return { ...unread, text: 'NULL' };
  });
};

/** The select list as text; parts of spread records come last, so that columns keep their places. */
function selected(columns: readonly Output[], grouped: boolean): string {
  const own = columns.map(({ name, text, spread }) => {
    return `${spread && !grouped ? isThere(spread) : text} AS ${quote(name)}`;
  });
  const parts = grouped ? [] : columns.flatMap(({ name, spread }) => (spread ? handedOn(spread, name) : []));
  return [...own, ...parts].join(', ');
}

/** The columns that a select list gives. */
const handed = (columns: readonly Output[], grouped: boolean): readonly StoredColumn[] =>
  columns.map(({ name, type, required = false, spread }) => ({
    name,
    type,
    required: required && !grouped,
    ...(spread && !grouped && { parts: spread.parts }),
  }));

/** `(SELECT …) ORDER BY …`: what stands behind the parentheses sees the columns only. */
function parenthesised(node: SelectStmt, parent: Scope, to: Translator): Relation {
  const ctes = withClause(clauseOf(node, 'with_clause'), childOf(parent), to);
  const inner = clauseOf(node, 'paren_expr');
  if (!inner) throw new Refusal(node, 'a SELECT is wanted here');
  const relation = query(inner.expr, ctes.scope, to);
  const ends = endsOver(relation, node, ctes.scope, to);
  return {
    ...relation,
    text: ctes.before(ends === '' ? `(${relation.text})` : wrapped(relation, ends, to)),
  };
}

/** ORDER BY and LIMIT behind a set operation belong to the whole, though the tree hangs them on its last part. */
function setOperation(node: CompoundSelectStmt, parent: Scope, to: Translator): Relation {
  const parts = flatten(node);
  const [first] = parts.queries;
  const last = parts.queries.at(-1);
  if (!first || !last) throw new Refusal(node, 'a SELECT is wanted here');
  const ctes = withClause(
    first.type === 'select_stmt' ? clauseOf(first, 'with_clause') : undefined,
    childOf(parent),
    to,
  );
  const relations = parts.queries.map((part) =>
    whole(query(withoutEnds(part, part === last), ctes.scope, to), to),
  );
  const united = unite(node, parts.operator, relations, to);
  if (last.type !== 'select_stmt') return { ...united, text: ctes.before(united.text) };
  const ends = endsOver(united, last, ctes.scope, to);
  return { ...united, text: ctes.before(ends === '' ? united.text : wrapped(united, ends, to)) };
}

const wrapped = ({ text }: Relation, ends: string, to: Translator) =>
  `SELECT * FROM (${text}) AS ${quote(to.fresh('all'))}${ends}`;

function endsOver(relation: Relation, node: SelectStmt, scope: Scope, to: Translator): string {
  const columns = relation.columns.map((column) => ({ ...column, text: quote(column.name), aliased: true }));
  const range = { name: undefined, columns };
  // The tree hangs DISTINCT of the last part beside the clauses of the whole.
  const bare = { ...node, clauses: node.clauses.filter(({ type }) => type !== 'select_clause') };
  return ending(bare, columns, { ...scope, ranges: [range], merged: [] }, to);
}

const ending = (node: SelectStmt, columns: readonly Output[], scope: Scope, to: Translator): string =>
  order(clauseOf(node, 'order_by_clause'), columns, isDistinct(node), scope, to) +
  limitText(clauseOf(node, 'limit_clause'), scope, to);

/** Whether a SELECT gives columns of some rows of one relation, in whatever order. */
const isSimple = (node: SelectStmt, item: FromItem, columns: readonly Output[]): boolean =>
  node.clauses.every(({ type }) => simpleClauses.includes(type)) &&
  !isDistinct(node) &&
  item.carriers.length === 1 &&
  item.ranges.length === 1 &&
  columns.every(({ text, spread }) => spread !== undefined || isPath(text));

const simpleClauses: readonly Clause['type'][] = [
  'with_clause',
  'select_clause',
  'from_clause',
  'where_clause',
  'order_by_clause',
  'limit_clause',
];

const isDistinct = (node: SelectStmt): boolean =>
  clauseOf(node, 'select_clause')?.modifiers.some(({ type }) => type === 'select_distinct') ?? false;

const ends: readonly Clause['type'][] = ['order_by_clause', 'limit_clause'];

function withoutEnds(node: SubSelect, last: boolean): SubSelect {
  if (node.type !== 'select_stmt') return node;
  const clauses = node.clauses.filter(({ type }) => type !== 'with_clause' && !(last && ends.includes(type)));
  const [only] = clauses;
  if (clauses.length === 1 && only?.type === 'paren_expr') return only.expr;
  return { ...node, clauses };
}

const known: readonly Clause['type'][] = [
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

function refuse(clause: Node): never {
  throw new Refusal(clause, `${clause.type.replaceAll('_', ' ')} is not supported`);
}

const clauseOf = <T extends Clause['type']>(node: SelectStmt, type: T): ClauseOf<T> | undefined =>
  node.clauses.find((clause): clause is ClauseOf<T> => clause.type === type);

const nothing: FromItem = { ranges: [], merged: [], carriers: [], text: () => '' };

const from = (clause: ClauseOf<'from_clause'> | undefined, scope: Scope, to: Translator): FromItem =>
  clause ? fromItem(clause.expr, scope, to) : nothing;

function condition(expr: Node | undefined, keyword: string, scope: Scope, to: Translator): readonly string[] {
  if (!expr) return [];
  const test = to.expr(expr, scope);
  to.attempt(() => requireBool(expr, test, keyword), undefined);
  return [test.text];
}

const clause = (keyword: string, conditions: readonly string[]): string =>
  conditions.length === 0 ? '' : ` ${keyword} ${conditions.join(' AND ')}`;

const aliasesOf = (columns: readonly Output[]): ReadonlyMap<string, Sql> =>
  new Map(columns.filter(({ aliased }) => aliased).map((column) => [column.name.toLowerCase(), column]));

function order(
  clause: ClauseOf<'order_by_clause'> | undefined,
  columns: readonly Output[],
  distinct: boolean,
  scope: Scope,
  to: Translator,
): string {
  if (!clause) return '';
  return ` ${orderText(clause, scope, to, (expr) => sortKey(expr, columns, distinct, scope, to))}`;
}

/** A column of the output is named by its place, which no column of FROM can hide. */
function sortKey(
  node: Node,
  columns: readonly Output[],
  distinct: boolean,
  scope: Scope,
  to: Translator,
): SortKey {
  const byPlace = (index: number): SortKey => {
    const column = columns[index];
    if (!column) throw new Refusal(node, `the select list has no column ${index + 1}`);
    // DISTINCT lets nothing but its columns be sorted by.
    return { text: String(index + 1), type: column.type, ...(distinct ? {} : { value: column.text }) };
  };
  if (isOrdinal(node)) return byPlace(node.value - 1);
  if (node.type === 'identifier') {
    const place = columns.findIndex(
      ({ name, aliased }) => aliased && name.toLowerCase() === node.name.toLowerCase(),
    );
    if (place >= 0) return byPlace(place);
  }
  const sort = to.expr(node, scope);
  if (!distinct) return { ...sort, value: sort.text };
  const place = columns.findIndex(({ text }) => text === sort.text);
  if (place < 0)
    throw new Refusal(node, 'ORDER BY with SELECT DISTINCT takes columns of the select list only');
  return byPlace(place);
}

function limitText(clause: ClauseOf<'limit_clause'> | undefined, scope: Scope, to: Translator): string {
  if (!clause) return '';
  if (!clause.count || clause.count.type === 'limit_all') throw new Refusal(clause, 'LIMIT takes a number');
  const count = ` LIMIT ${to.expr(clause.count, scope).text}`;
  return clause.offset ? `${count} OFFSET ${to.expr(clause.offset, scope).text}` : count;
}
