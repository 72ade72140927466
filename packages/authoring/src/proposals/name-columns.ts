import { isReserved, type Syntax, walk } from '@querygate/bigquery-sql/syntax';
import type { Edit } from './edits.ts';
import { snakeCase } from './snake-case.ts';

/**
 * Names for the columns of the result that have none, one that another column has too, or one that GraphQL does not
 * allow: `COUNT(*)` becomes `COUNT(*) AS count`, and `` AS `Total sales` `` becomes `AS total_sales`. In the order of
 * the text; empty if the columns are not all listed.
 */
export function columnNames({ query }: Syntax.Statement): readonly Edit[] {
  const select = query.pipes.length === 0 ? firstSelect(query.body) : undefined;
  // `SELECT AS VALUE` and `AS STRUCT` return one value.
  if (select === undefined || select.as !== undefined) return [];
  const items = select.items.filter((item) => item.kind === 'SelectExpression');
  if (items.length < select.items.length) return [];
  const taken = new Set<string>();
  const named = items.map((item) => ({ item, name: item.alias?.name ?? impliedName(item.expression) }));
  // A usable name belongs to the first column that has it.
  const keeps = named.map(({ name }) => {
    if (name === undefined || !isUsable(name) || taken.has(takenKey(name))) return false;
    taken.add(takenKey(name));
    return true;
  });
  const edits = named.flatMap(({ item, name }, at): readonly Edit[] => {
    if (keeps[at]) return [];
    const word = snakeCase(name ?? '') || nameOf(item.expression) || `column_${at + 1}`;
    const base = isReserved(word.toUpperCase()) ? `${word}_value` : word;
    let unique = base;
    for (let count = 2; taken.has(takenKey(unique)); count += 1) unique = `${base}_${count}`;
    taken.add(takenKey(unique));
    const { alias, end } = item;
    if (alias === undefined) return [{ start: end, end, after: ` AS ${unique}` }];
    return [
      { start: alias.start, end: alias.end, after: unique },
      ...(isUsable(alias.name) ? [] : references(query, alias.name)).map((place) => ({
        ...place,
        after: unique,
      })),
    ];
  });
  return edits.toSorted((a, b) => a.start - b.start);
}

/** True if SQL and GraphQL can use the name as it is: in GraphQL, a letter comes before the first digit. */
export const isUsable = (name: string): boolean => /^_?[a-z]\w*$/i.test(name);

/** The key that no two columns, and no two parameters, may share: SQL ignores the case, GraphQL the separators. */
export const takenKey = (name: string): string => name.replaceAll('_', '').toLowerCase();

/** The SELECT whose list names the columns. */
function firstSelect(body: Syntax.QueryBody): Syntax.Select | undefined {
  if (body.kind === 'Select') return body;
  if (body.kind === 'Query') return body.pipes.length === 0 ? firstSelect(body.body) : undefined;
  return body.kind === 'SetOperation' && body.inputs[0] ? firstSelect(body.inputs[0]) : undefined;
}

/** Where ORDER BY, GROUP BY and the like name an alias. */
function references(query: Syntax.Query, alias: string): readonly Syntax.Located[] {
  const places: Syntax.Located[] = [];
  walk(query, (node) => {
    if (node.kind === 'Path' && node.parts.length === 1 && node.parts[0].name === alias) places.push(node);
  });
  return places.map(({ start, end }) => ({ start, end }));
}

/** As BigQuery names a column without alias. */
function impliedName(expression: Syntax.Expression): string | undefined {
  if (expression.kind === 'Path') return expression.parts.at(-1)?.name;
  return expression.kind === 'FieldAccess' ? expression.field.name : undefined;
}

/** `count` of `COUNT(*)`, `sum_amount` of `SUM(t.amount)`. */
function nameOf(expression: Syntax.Expression): string {
  if (expression.kind !== 'FunctionCall') {
    const inner = 'operand' in expression ? (expression.operand as Syntax.Expression | undefined) : undefined;
    return inner === undefined ? '' : snakeCase(impliedName(inner) ?? nameOf(inner));
  }
  const [first] = expression.args;
  const arg = first && first.kind !== 'NamedArgument' && first.kind !== 'StarArgument' ? first : undefined;
  const of = arg === undefined ? '' : (impliedName(arg) ?? '');
  return snakeCase(
    [expression.name.parts.at(-1)?.name, expression.distinct && 'distinct', of].filter(Boolean).join('_'),
  );
}
