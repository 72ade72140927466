import { runPasses } from '../passes/passes.ts';
import { freshNames } from '../tree/fresh-names.ts';
import { macroName } from '../tree/macro-name.ts';
import { forEachNode } from '../tree/map.ts';
import type { Expression, Node, Query } from '../tree/nodes.ts';
import type { Origin } from '../tree/stored-table.ts';

/** The stored columns that a query compares with a parameter for equality: a table may be sorted by such columns. */
export function equalityColumns(query: Query): readonly Origin[] {
  const passed = runPasses(
    query,
    { known: {}, fresh: freshNames(query) },
    new Set(['join lists', 'share json reads']),
  );
  const tables = new Map<string, string>();
  forEachNode(passed, (node) => {
    if (node.kind === 'table') tables.set(node.alias, node.name);
  });
  const columns: Origin[] = [];
  forEachNode(passed, (node) => {
    const compared = comparedValues(node);
    const [column] = compared.filter(({ kind }) => kind === 'column');
    const table = column?.kind === 'column' ? tables.get(column.from) : undefined;
    const hasParameter = compared.some(({ kind }) => kind === 'parameter');
    if (column?.kind === 'column' && table !== undefined && hasParameter)
      columns.push({ table, path: column.name });
  });
  return columns;
}

/** The two sides of `=`, and of IN UNNEST with a list. */
function comparedValues(node: Node): readonly Expression[] {
  if (node.kind === 'operation' && node.operator === '=') return node.operands;
  return node.kind === 'call' && macroName(node.function) === 'op_in' ? node.args : [];
}
