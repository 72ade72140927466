import type { Node, SelectStmt, SubSelect } from 'sql-parser-cst';
import { Refusal } from '../refusal.ts';
import { childOf, type Relation, type Scope, type Sql } from '../scope.ts';
import type { Translator } from '../translator.ts';
import { quote } from '../type.ts';
import { anything, type FromItem, fromItem, within } from './from.ts';
import { grouping, isOrdinal } from './grouping.ts';
import { type Output, outputs } from './select-list.ts';
import { withClause } from './with.ts';

type Clause = SelectStmt['clauses'][number];
type ClauseOf<T extends Clause['type']> = Extract<Clause, { type: T }>;

/** A whole query: one SELECT, several under a set operator, or one in parentheses. */
export function query(node: SubSelect | SelectStmt, scope: Scope, to: Translator): Relation {
  if (node.type === 'select_stmt') return select(node, scope, to);
  if (node.type === 'paren_expr') {
    const { text, columns } = query(node.expr, scope, to);
    return { text: `(${text})`, columns };
  }
  throw new Refusal(node, 'set operations are not supported');
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

  const where = condition('WHERE', clauseOf(node, 'where_clause')?.expr, scope, to);
  const columns = outputs(list, scope, to);
  const named = { ...scope, aliases: aliasesOf(columns) };
  const groupBy = grouping(clauseOf(node, 'group_by_clause'), columns, scope, named, to);
  const having = condition('HAVING', clauseOf(node, 'having_clause')?.expr, named, to);
  const orderBy = order(clauseOf(node, 'order_by_clause'), columns, named, to);
  const limit = limitText(clauseOf(node, 'limit_clause'), scope, to);

  const distinct = list.modifiers.some(({ type }) => type === 'select_distinct') ? 'DISTINCT ' : '';
  const selected = columns.map(({ text, name }) => `${text} AS ${quote(name)}`).join(', ');
  const source = item === nothing ? '' : ` FROM ${item.text()}`;
  return {
    text: `${ctes.text}SELECT ${distinct}${selected}${source}${where}${groupBy}${having}${orderBy}${limit}`,
    columns,
  };
}

const known: readonly Clause['type'][] = [
  'with_clause',
  'select_clause',
  'from_clause',
  'where_clause',
  'group_by_clause',
  'having_clause',
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

function condition(keyword: string, expr: Node | undefined, scope: Scope, to: Translator): string {
  return expr ? ` ${keyword} ${to.expr(expr, scope).text}` : '';
}

const aliasesOf = (columns: readonly Output[]): ReadonlyMap<string, Sql> =>
  new Map(columns.filter(({ aliased }) => aliased).map((column) => [column.name.toLowerCase(), column]));

function order(
  clause: ClauseOf<'order_by_clause'> | undefined,
  columns: readonly Output[],
  scope: Scope,
  to: Translator,
): string {
  if (!clause) return '';
  const items = clause.specifications.items.map((item) => {
    const sort =
      item.type === 'sort_specification'
        ? item
        : { expr: item, direction: undefined, nullHandlingKw: undefined };
    const descending = sort.direction?.type === 'sort_direction_desc';
    const nulls = sort.nullHandlingKw?.[1].name ?? (descending ? 'LAST' : 'FIRST');
    return `${sortKey(sort.expr, columns, scope, to)} ${descending ? 'DESC' : 'ASC'} NULLS ${nulls}`;
  });
  return ` ORDER BY ${items.join(', ')}`;
}

/** A column of the output is named by its place, which no column of FROM can hide. */
function sortKey(node: Node, columns: readonly Output[], scope: Scope, to: Translator): string {
  if (isOrdinal(node)) return node.text;
  if (node.type === 'identifier') {
    const place = columns.findIndex(
      ({ name, aliased }) => aliased && name.toLowerCase() === node.name.toLowerCase(),
    );
    if (place >= 0) return String(place + 1);
  }
  return to.expr(node, scope).text;
}

function limitText(clause: ClauseOf<'limit_clause'> | undefined, scope: Scope, to: Translator): string {
  if (!clause) return '';
  if (!clause.count || clause.count.type === 'limit_all') throw new Refusal(clause, 'LIMIT takes a number');
  const count = ` LIMIT ${to.expr(clause.count, scope).text}`;
  return clause.offset ? `${count} OFFSET ${to.expr(clause.offset, scope).text}` : count;
}
