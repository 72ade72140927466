import type { WithClause } from 'sql-parser-cst';
import { Refusal } from '../refusal.ts';
import type { Relation, Scope } from '../scope.ts';
import type { Translator } from '../translator.ts';
import { quote } from '../type.ts';

/** The WITH clause as text, and the scope in which its relations can be read. Each sees those before it. */
export function withClause(
  node: WithClause | undefined,
  scope: Scope,
  to: Translator,
): { readonly text: string; readonly scope: Scope } {
  if (!node) return { text: '', scope };
  if (node.recursiveKw) throw new Refusal(node.recursiveKw, 'WITH RECURSIVE is not supported');
  const relations = new Map<string, Relation>();
  const texts: string[] = [];
  const inner = { ...scope, relations };
  for (const { table, columns, expr } of node.tables.items) {
    if (columns) throw new Refusal(columns, 'column names are not supported here');
    if (expr.expr.type !== 'select_stmt' && expr.expr.type !== 'compound_select_stmt') {
      throw new Refusal(expr, 'only queries are supported here');
    }
    const query = to.query(expr.expr, inner);
    const name = quote(to.fresh(table.name));
    texts.push(`${name} AS (${query.text})`);
    relations.set(table.name.toLowerCase(), { text: name, columns: query.columns });
  }
  return { text: `WITH ${texts.join(', ')} `, scope: inner };
}
