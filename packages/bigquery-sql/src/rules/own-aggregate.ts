import { caseWhen, isNull } from '../tree/build.ts';
import { forEachNode } from '../tree/map.ts';
import type { Expression } from '../tree/nodes.ts';
import type { Range, Scope } from './scope.ts';

/**
 * The arguments of an aggregate that belongs to the query in which it is written. DuckDB lets one that reads columns of
 * an outer query only belong to that query, so that such an argument gets a column of its own query.
 */
export function argumentsOfOwnQuery(args: readonly Expression[], scope: Scope): readonly Expression[] {
  const own = scope.ranges.flatMap(valuesOf);
  const ownNames = new Set(own.flatMap(sourcesOf));
  const sources = args.flatMap(sourcesOf);
  const inner = own.find(({ kind }) => kind === 'column');
  // The names of a WITH expression are not columns of a query.
  if (inner === undefined || sources.length === 0 || sources.some((name) => ownNames.has(name))) return args;
  const at = args.findIndex((arg) => sourcesOf(arg).length > 0);
  return args.map((arg, index) => (index === at ? caseWhen(isNull(inner), arg, arg) : arg));
}

const valuesOf = ({ value, columns }: Range): readonly Expression[] =>
  value ? [value] : columns.map((column) => column.value);

/** The FROM items whose columns an expression reads, without those of its own subqueries. */
function sourcesOf(value: Expression): readonly string[] {
  const read: string[] = [];
  const own = new Set<string>();
  forEachNode(value, (part) => {
    if (part.kind === 'column') read.push(part.from);
    if ('alias' in part) own.add(part.alias);
  });
  return read.filter((name) => !own.has(name));
}
