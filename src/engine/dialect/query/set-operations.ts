import type { CompoundSelectStmt, SubSelect } from 'sql-parser-cst';
import { convert, supertype } from '../coercion.ts';
import { operatorName } from '../expr/comparison.ts';
import type { Relation } from '../scope.ts';
import type { Translator } from '../translator.ts';
import { type Column, describeType, duckdbType, quote } from '../types.ts';
import { Unsupported } from '../unsupported.ts';

/** The parts of `a UNION ALL b UNION ALL c`. BigQuery requires parentheses between different operators. */
export function collectParts(node: CompoundSelectStmt): { operator: string; queries: readonly SubSelect[] } {
  const operator = operatorName(node.operator);
  const { left, right } = node;
  if (left.type !== 'compound_select_stmt') return { operator, queries: [left, right] };
  const before = collectParts(left);
  if (before.operator !== operator)
    throw new Unsupported(right, `${before.operator} and ${operator} in one query need parentheses`);
  return { operator, queries: [...before.queries, right] };
}

const operators: Readonly<Record<string, string>> = {
  'UNION ALL': 'UNION ALL',
  'UNION DISTINCT': 'UNION',
  'INTERSECT DISTINCT': 'INTERSECT',
  'EXCEPT DISTINCT': 'EXCEPT',
};

/** Columns are matched by position, named by the first part, and have the common type of all parts. */
export function combineParts(
  node: CompoundSelectStmt,
  operator: string,
  relations: readonly Relation[],
  tr: Translator,
): Relation {
  const word = operators[operator];
  if (!word)
    throw new Unsupported(
      node,
      `${operator} is not supported; expected one of ${Object.keys(operators).join(', ')}`,
    );
  const [first] = relations;
  if (!first || relations.some(({ columns }) => columns.length !== first.columns.length))
    throw new Unsupported(node, `${operator} needs queries with the same number of columns`);
  const columns = first.columns.map((column, index) =>
    commonColumn(node, operator, column, index, relations),
  );
  const texts = relations.map((relation) => withColumnTypes(relation, columns, tr));
  return { ...first, text: texts.join(` ${word} `), columns };
}

function commonColumn(
  node: CompoundSelectStmt,
  operator: string,
  column: Column,
  index: number,
  relations: readonly Relation[],
): Column {
  const types = relations.flatMap(({ columns }) => columns.slice(index, index + 1));
  const type = supertype(types.map((column) => ({ text: '', type: column.type })));
  if (type) return { name: column.name, type };
  const shown = types.map((column) => describeType(column.type)).join(', ');
  throw new Unsupported(node, `${operator} has no common type for column ${index + 1} (${shown})`);
}

/** A part of the set operation with exactly these column types, since DuckDB may choose others. */
export function withColumnTypes(relation: Relation, columns: readonly Column[], tr: Translator): string {
  const same = relation.columns.every(
    ({ type }, index) =>
      duckdbType(type) === duckdbType(columns[index]?.type ?? type) && type.kind !== 'null',
  );
  if (same) return `(${relation.text})`;
  const name = quote(tr.fresh('part'));
  const names = columns.map((_, index) => quote(`c${index}`));
  const values = relation.columns.map(({ type }, index) => {
    const text = names[index] ?? '';
    const target = columns[index];
    return `${target ? convert({ text, type }, target.type) : text} AS ${quote(target?.name ?? '')}`;
  });
  return `(SELECT ${values.join(', ')} FROM (${relation.text}) AS ${name}(${names.join(', ')}))`;
}
