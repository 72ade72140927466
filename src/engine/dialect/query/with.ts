import type { CommonTableExpr, SubSelect, WithClause } from 'sql-parser-cst';
import type { Relation, Scope } from '../scope.ts';
import type { Translator } from '../translator.ts';
import { quote } from '../types.ts';
import { Unsupported } from '../unsupported.ts';
import { collectParts, withColumnTypes } from './set-operations.ts';

/** A WITH clause. */
export interface CommonTables {
  /** The scope that contains its relations. Each relation can use those before it. */
  readonly scope: Scope;
  /** The query with the CTEs that it uses: DuckDB would plan unused ones too, which BigQuery does not run. */
  prependTo(query: string): string;
}

export function withClause(node: WithClause | undefined, scope: Scope, tr: Translator): CommonTables {
  if (!node) return { prependTo: (query) => query, scope };
  const relations = new Map<string, Relation>();
  const tables: { readonly name: string; readonly as: string; readonly query: Relation }[] = [];
  const inner = { ...scope, relations };
  for (const table of node.tables.items) {
    const key = table.table.name.toLowerCase();
    if (relations.has(key))
      throw new Unsupported(table.table, `WITH has two queries named ${table.table.name}`);
    const name = quote(tr.fresh(table.table.name));
    const query = commonTable(table, node.recursiveKw !== undefined, name, inner, tr);
    // DuckDB materializes a CTE that is read twice, with all its columns.
    tables.push({ name, as: `${name} AS ${query.simple ? 'NOT MATERIALIZED ' : ''}`, query });
    relations.set(key, { ...query, text: name });
  }
  const keyword = node.recursiveKw ? 'WITH RECURSIVE' : 'WITH';
  return {
    scope: inner,
    prependTo(query) {
      const needed: string[] = [];
      const isRead = (name: string) => [query, ...needed].some((user) => user.includes(name));
      for (const table of tables.toReversed()) {
        if (isRead(table.name)) needed.unshift(`${table.as}(${withoutUnreadColumns(table.query, isRead)})`);
      }
      return needed.length === 0 ? query : `${keyword} ${needed.join(', ')} ${query}`;
    },
  };
}

/** The query without unread columns: DuckDB would plan them, BigQuery does not run them. */
function withoutUnreadColumns({ text, narrow }: Relation, isRead: (name: string) => boolean): string {
  if (narrow?.of !== text) return text;
  // A shredded record may be read through its fields only.
  return narrow.text((column) => isRead(quote(column)) || isRead(`${quote(column).slice(0, -1)}.`));
}

function commonTable(
  { table, columns, expr }: CommonTableExpr,
  recursive: boolean,
  name: string,
  scope: Scope & { readonly relations: Map<string, Relation> },
  tr: Translator,
): Relation {
  if (columns) throw new Unsupported(columns, 'column names after WITH … are not supported');
  const body = expr.expr;
  if (body.type !== 'select_stmt' && body.type !== 'compound_select_stmt' && body.type !== 'paren_expr')
    throw new Unsupported(expr, 'expected a query');
  if (!recursive || body.type !== 'compound_select_stmt') return tr.relation(body, scope);

  const { operator, queries } = collectParts(body);
  const [anchor, ...steps] = queries;
  const [step, another] = steps;
  if (!anchor || !step || another || !operator.startsWith('UNION') || !mentions(step, table.name))
    return tr.relation(body, scope);
  const first = tr.query(anchor, scope);
  scope.relations.set(table.name.toLowerCase(), { ...first, text: name });
  const next = withColumnTypes(tr.query(step, scope), first.columns, tr);
  scope.relations.delete(table.name.toLowerCase());
  const word = operator === 'UNION ALL' ? 'UNION ALL' : 'UNION';
  return { ...first, text: `${withColumnTypes(first, first.columns, tr)} ${word} ${next}` };
}

/** Whether a subtree contains the name as an identifier. */
function mentions(node: SubSelect, name: string): boolean {
  const searched = name.toLowerCase();
  const contains = (part: unknown): boolean => {
    if (Array.isArray(part)) return part.some(contains);
    if (part === null || typeof part !== 'object') return false;
    const { type, name: own } = part as { type?: unknown; name?: unknown };
    if (type === 'identifier' && typeof own === 'string' && own.toLowerCase() === searched) return true;
    return Object.values(part).some(contains);
  };
  return contains(node);
}
