import {
  type Node,
  outsideNames,
  parseQuery,
  type Syntax,
  SyntaxProblem,
  walk,
} from '@querygate/bigquery-sql/syntax';
import { foldName } from '@querygate/text';

/** The tables and the fields that a text reads, by their names in lower case. */
export interface SqlReads {
  readonly tables: readonly TableRead[];
  /** True if rows of a table are read as a whole, as by `*` or TO_JSON_STRING(t). */
  readonly isAll: boolean;
  readonly names: ReadonlySet<string>;
  /** The names that stand for all that is within them, as in TO_JSON(request). */
  readonly whole: ReadonlySet<string>;
}

/** A table, or several, by the last part of a path. */
interface TableRead {
  readonly isWildcard: boolean;
  /** @param name in lower case */
  readonly matches: (name: string) => boolean;
}

/** Finds them in a query; none if it can't be parsed. */
export function readsOf(sql: string): SqlReads {
  try {
    return readsOfStatement(parseQuery(sql));
  } catch (error) {
    if (!(error instanceof SyntaxProblem)) throw error;
    return { tables: [], isAll: false, names: new Set(), whole: new Set() };
  }
}

function readsOfStatement(statement: Syntax.Statement): SqlReads {
  const outside = outsideNames(statement).tables.filter(({ node }) => node.kind === 'Table');
  const rows = outside.map(({ node, path }) => foldName((node.alias ?? lastOf(path)).name));
  const tables = new Set(outside.map(({ path }) => foldName(lastOf(path).name)));
  const names = new Set<string>();
  const whole = new Set<string>();
  /** The fields that have another name in the text. */
  const renamed: { readonly from: string; readonly to: string }[] = [];
  let isAll = outside.some(({ isArgument }) => isArgument);
  walk(statement, (node, around) => {
    if (node.kind === 'Identifier') names.add(foldName(node.name));
    isAll ||= node.kind === 'Star' || isWholeFrom(node);
    // It may also be an array of another table.
    if (node.kind === 'Table' && node.path.parts.length > 1) tables.add(foldName(lastOf(node.path).name));
    if (node.kind === 'PipeAs') rows.push(foldName(node.alias.name));
    for (const [from, to] of renamedBy(node))
      renamed.push({ from: foldName(from.name), to: foldName(to.name) });
    const value = node.kind === 'Path' ? lastOf(node) : node.kind === 'FieldAccess' ? node.field : undefined;
    if (value !== undefined && isWholeValue(node, around)) whole.add(foldName(value.name));
  });
  // The name that a record gets may have another one too.
  for (let known = -1; known < whole.size; ) {
    known = whole.size;
    for (const { from, to } of renamed) if (whole.has(to)) whole.add(from);
  }
  isAll ||= rows.some((name) => whole.has(name));
  return { tables: [...tables].map(tableRead), isAll, names, whole };
}

const lastOf = ({ parts }: Syntax.Path): Syntax.Identifier => parts.at(-1) ?? parts[0];

const tableRead = (name: string): TableRead =>
  name.endsWith('*')
    ? { isWildcard: true, matches: (table) => table.startsWith(name.slice(0, -1)) }
    : { isWildcard: false, matches: (table) => table === name };

/** True for FROM whose columns are those of the query. */
const isWholeFrom = (node: Node): boolean =>
  node.kind === 'Query' &&
  node.body.kind === 'FromQuery' &&
  !node.pipes.some(({ kind }) => kind === 'PipeSelect' || kind === 'PipeAggregate');

/** Fields with their other names in the text; an element of an array is named for the array. */
function renamedBy(node: Node): readonly (readonly [from: Syntax.Identifier, to: Syntax.Identifier])[] {
  if (node.kind === 'RenamedColumn') return [[node.from, node.to]];
  const array = node.kind === 'Table' ? node.path : node.kind === 'Unnest' ? node.array : undefined;
  if (array?.kind !== 'Path' || !('alias' in node) || !node.alias) return [];
  return [[lastOf(array), node.alias]];
}

/** True if all fields of a value are read: it is not a name of another thing, and not one field of it is taken. */
function isWholeValue(node: Node, around: readonly Node[]): boolean {
  const parent = around.at(-1);
  if (parent === undefined || parent.kind === 'FieldAccess') return false;
  if (parent.kind === 'Subscript' && parent.operand === node)
    return isWholeValue(parent, around.slice(0, -1));
  return parent.kind !== 'Table' && parent.kind !== 'Unnest' && !('name' in parent && parent.name === node);
}
