import type { Expr, FuncCall, Identifier, Node, PivotExpr, UnpivotExpr } from 'sql-parser-cst';
import { convert, supertype } from '../coercion.ts';
import { quoteText } from '../expr/literals.ts';
import type { FromItem, Relation, Scope } from '../scope.ts';
import type { Translator } from '../translator.ts';
import { type Column, quote, sameName, scalar } from '../types.ts';
import { Unsupported } from '../unsupported.ts';
import { relationItem, within } from './from-item.ts';

interface Source {
  readonly columns: readonly (Column & { readonly text: string })[];
  readonly text: string;
  readonly scope: Scope;
}

function source(node: Node, scope: Scope, tr: Translator): Source {
  const item = tr.from(node, scope);
  const columns = item.ranges.flatMap((range) => range.columns);
  return { columns, text: item.text(), scope: within(scope, item) };
}

/** `PIVOT(SUM(x) FOR y IN ('a', 'b'))`: one row for each combination of the columns that are not named. */
export function pivot(node: PivotExpr, scope: Scope, tr: Translator): FromItem {
  const { aggregations, inputColumn, pivotColumns } = node.args.expr;
  const from = source(node.left, scope, tr);
  const used = namesIn([aggregations, inputColumn]);
  const groups = from.columns.filter(({ name }) => !used.has(name.toLowerCase()));
  const aggregates = pivotColumns.expr.items.flatMap((item) => {
    const value = (item.type === 'alias' ? item.expr : item) as Expr;
    return aggregations.items.map((aggregation) => {
      const call = aggregation.type === 'alias' ? (aggregation.expr as FuncCall) : aggregation;
      const prefix = aggregation.type === 'alias' ? `${aggregation.alias.name}_` : '';
      if (prefix === '' && aggregations.items.length > 1)
        throw new Unsupported(aggregation, 'PIVOT with several aggregates needs an alias for each');
      const sql = tr.expr(whereEqual(call, inputColumn, value), from.scope);
      return { ...sql, name: prefix + (item.type === 'alias' ? item.alias.name : nameOf(value)) };
    });
  });
  const columns = [...groups, ...aggregates];
  const keys = groups.length === 0 ? '' : ` GROUP BY ${groups.map(({ text }) => text).join(', ')}`;
  return derivedTable(columns, `SELECT ${selectListText(columns)} FROM ${from.text}${keys}`, tr);
}

const selectListText = (columns: readonly { text: string; name: string }[]) =>
  columns.map(({ text, name }) => `${text} AS ${quote(name)}`).join(', ');

const derivedTable = (columns: Relation['columns'], text: string, tr: Translator): FromItem =>
  relationItem({ text: `(${text})`, columns }, undefined, tr);

/** The aggregate over the rows with one value only: in all other rows its argument is NULL. */
function whereEqual(call: FuncCall, column: Identifier, value: Expr): FuncCall {
  const args = call.args;
  const [first, ...rest] = args?.expr.args.items ?? [];
  if (!args || !first || call.over) throw new Unsupported(call, 'PIVOT takes an aggregate function');
  const test = { type: 'binary_expr', left: column, operator: '=', right: value, range: value.range } as Expr;
  const argument = (node: Expr): FuncCall['args'] => ({
    ...args,
    expr: { ...args.expr, args: { ...args.expr.args, items: [node, ...rest] } },
  });
  if (first.type === 'all_columns') {
    const name = { type: 'identifier', text: 'countif', name: 'countif' } as Identifier;
    return { ...call, name, args: argument(test) } as FuncCall;
  }
  const when = { type: 'case_when', condition: test, result: first };
  return { ...call, args: argument({ type: 'case_expr', clauses: [when] } as unknown as Expr) } as FuncCall;
}

/** BigQuery's name for the column of a literal. */
function nameOf(node: Expr): string {
  switch (node.type) {
    case 'string_literal':
      return node.value;
    case 'number_literal':
      if (/^\d+$/.test(node.text)) return `_${node.text}`;
      break;
    case 'boolean_literal':
      return node.valueKw.name.toLowerCase();
  }
  throw new Unsupported(node, 'this value of PIVOT needs an alias');
}

/** Every identifier in a subtree, in lower case. */
function namesIn(part: unknown, found = new Set<string>()): ReadonlySet<string> {
  if (Array.isArray(part)) for (const item of part) namesIn(item, found);
  else if (part !== null && typeof part === 'object') {
    const { type, name } = part as { type?: unknown; name?: unknown };
    if (type === 'identifier' && typeof name === 'string') found.add(name.toLowerCase());
    for (const value of Object.values(part)) namesIn(value, found);
  }
  return found;
}

/** `UNPIVOT(value FOR name IN (a, b))`: one row for each of the columns named. */
export function unpivot(node: UnpivotExpr, scope: Scope, tr: Translator): FromItem {
  const { valuesColumn, nameColumn, unpivotColumns } = node.args.expr;
  if (valuesColumn.type !== 'identifier')
    throw new Unsupported(valuesColumn, 'UNPIVOT into several value columns is not supported');
  const from = source(node.left, scope, tr);
  const unpivoted = unpivotColumns.expr.items.map((item) => {
    const column = (item.type === 'alias' ? item.expr : item) as Node;
    if (column.type !== 'identifier') throw new Unsupported(column, 'UNPIVOT takes column names');
    const label = item.type === 'alias' ? (item.alias as Node) : column;
    return { column, name: labelOf(label), value: tr.expr(column, from.scope) };
  });
  const type = supertype(unpivoted.map(({ value }) => value));
  if (!type) throw new Unsupported(node, 'the columns of UNPIVOT have no common type');
  const rows = unpivoted.map(
    ({ name, value }) => `struct_pack(v := ${convert(value, type)}, k := ${quoteText(name)})`,
  );
  const rest = from.columns.filter(
    ({ name }) => !unpivoted.some(({ column }) => sameName(column.name, name)),
  );
  const inner = tr.fresh('unpivoted');
  const kept = [
    ...rest.map(({ text, name }) => `${text} AS ${quote(name)}`),
    `unnest([${rows.join(', ')}]) AS ${quote(inner)}`,
  ];
  const columns = [
    ...rest.map(({ name, type: own }) => ({ name, type: own, text: quote(name) })),
    { name: valuesColumn.name, type, text: `${quote(inner)}.v` },
    { name: nameColumn.name, type: scalar('STRING'), text: `${quote(inner)}.k` },
  ];
  const filter = node.nullHandlingKw?.[0].name === 'INCLUDE' ? '' : ` WHERE ${quote(inner)}.v IS NOT NULL`;
  return derivedTable(
    columns,
    `SELECT ${selectListText(columns)} FROM (SELECT ${kept.join(', ')} FROM ${from.text})${filter}`,
    tr,
  );
}

function labelOf(node: Node): string {
  if (node.type === 'identifier') return node.name.replace(/^(["'])(.*)\1$/, '$2');
  if (node.type === 'string_literal') return node.value;
  throw new Unsupported(node, 'UNPIVOT takes string labels only');
}
