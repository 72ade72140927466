import { foldName } from '@querygate/text';
import type * as Syntax from '../syntax/nodes.ts';
import { parseQuery } from '../syntax/parse-query.ts';
import { SyntaxProblem } from '../syntax/syntax-problem.ts';
import { skip, walk } from '../syntax/walk.ts';

/** The columns of SQL, in lower case, whose values depend on an order that the SQL does not say. */
export interface UndefinedOrders {
  /**
   * Of arrays: ARRAY_AGG and ARRAY(SELECT …) without ORDER BY. The value has the paths of the arrays in the column: `''` for
   * the column itself, `a.b` for a field within records or their arrays, `.*` for any of these, `*` for any at all.
   */
  readonly arrays: ReadonlyMap<string, ReadonlySet<string>>;
  /** Of texts: STRING_AGG without ORDER BY. */
  readonly texts: ReadonlySet<string>;
}

/** Finds paths in a value, from those of a column by its name. */
type FindPaths = (expression: Syntax.Expression, columns: Columns) => readonly string[];

interface Columns {
  pathsOf(name: string): readonly string[];
  /** True for the rows of a table as a value, if an array in them may be unordered. */
  isUnorderedRow(node: Syntax.Node): boolean;
  /** True if the text has an unordered array that is not around a node. */
  hasOther(node: Syntax.Node): boolean;
}

/** Follows columns by their names, also into subqueries: of two columns with one name, both count. Empty for a text that is not GoogleSQL. */
export function undefinedOrders(sql: string): UndefinedOrders {
  const { items, rows, unordered } = readText(sql);
  const hasOther = (node: Syntax.Node) =>
    unordered.some(({ start, end }) => node.start < start || node.end > end);
  const isUnorderedRow = (node: Syntax.Node) =>
    node.kind === 'Path' && node.parts.length === 1 && rows.has(lastOf(node)) && hasOther(node);
  const pathsOfColumns = (find: FindPaths): UndefinedOrders['arrays'] => {
    const known = new Map<string, readonly string[]>();
    const pathsOf = (name: string): readonly string[] => {
      const before = known.get(name);
      if (before !== undefined) return before;
      // A column may be computed from one of its own name.
      known.set(name, []);
      const found = (items.get(name) ?? []).flatMap((expression) =>
        find(expression, { pathsOf, isUnorderedRow, hasOther }),
      );
      known.set(name, found);
      return found;
    };
    const found = [...items.keys()].map((name) => [name, new Set(pathsOf(name))] as const);
    return new Map(found.filter(([, paths]) => paths.size > 0));
  };
  const ofTexts = pathsOfColumns((expression, columns) =>
    hasNode(expression, isUnorderedText, columns) ? ['*'] : [],
  );
  return { arrays: pathsOfColumns(unorderedPaths), texts: new Set(ofTexts.keys()) };
}

interface OrderedText {
  /** The expressions of all columns of all queries, and of functions, by name. */
  readonly items: ReadonlyMap<string, readonly Syntax.Expression[]>;
  /** The names of tables, whose rows are values too. */
  readonly rows: ReadonlySet<string>;
  readonly unordered: readonly Syntax.Node[];
}

function readText(sql: string): OrderedText {
  const rows = new Set<string>();
  const unordered: Syntax.Node[] = [];
  const items = new Map<string, Syntax.Expression[]>();
  const add = (named: Syntax.Identifier | undefined, expression: Syntax.Expression) => {
    const name = nameOf(named, expression);
    if (name !== undefined) items.set(name, [...(items.get(name) ?? []), expression]);
  };
  try {
    walk(parseQuery(sql), (node) => {
      if (node.kind === 'SelectExpression' || node.kind === 'PipeAggregateItem')
        add(node.alias, node.expression);
      else if (node.kind === 'PipeAssignment') add(node.column, node.expression);
      else if (node.kind === 'RenamedColumn') add(node.to, { ...node, kind: 'Path', parts: [node.from] });
      else if (node.kind === 'CreateFunction' && node.body.kind !== 'ForeignBody')
        add(node.name.parts.at(-1), node.body);
      else if (node.kind === 'Table') rows.add(node.alias ? foldName(node.alias.name) : lastOf(node.path));
      else if (rowKinds.includes(node.kind) && 'alias' in node && node.alias)
        rows.add(foldName(node.alias.name));
      else if (isUnorderedArray(node)) unordered.push(node);
    });
  } catch (error) {
    if (!(error instanceof SyntaxProblem)) throw error;
  }
  return { items, rows, unordered };
}

/** The other nodes that name rows. */
const rowKinds: readonly Syntax.Node['kind'][] = [
  'DerivedTable',
  'TableFunction',
  'Pivot',
  'Unpivot',
  'PipeAs',
];

const lastOf = ({ parts }: Syntax.Path): string => foldName(parts.at(-1)?.name ?? '');

/** The name of a column or a field, in lower case. */
function nameOf(alias: Syntax.Identifier | undefined, expression: Syntax.Expression): string | undefined {
  const path = expression.kind === 'Path' ? expression.parts.at(-1) : undefined;
  const name = alias ?? path;
  return name && foldName(name.name);
}

function hasNode(expression: Syntax.Node, test: (node: Syntax.Node) => boolean, columns: Columns): boolean {
  let found = false;
  walk(expression, (node) => {
    if (node.kind === 'Table' && node.path.parts.length === 1) return skip;
    found ||= test(node) || (node.kind === 'Path' && pathsBelow(node, columns).length > 0);
    return undefined;
  });
  return found;
}

/** The paths of the unordered arrays in a value. */
function unorderedPaths(node: Syntax.Expression, columns: Columns): readonly string[] {
  if (node.kind === 'Path')
    return [...pathsBelow(node, columns), ...(columns.isUnorderedRow(node) ? ['.*'] : [])];
  if (node.kind === 'StructConstructor')
    return fieldPaths(
      node.fields.map(({ alias, value }) => [nameOf(alias, value), value]),
      columns,
    );
  const own = isUnorderedArray(node) ? [''] : [];
  if (isCallOf(node, ['array_agg', 'array_concat_agg'])) {
    const [arg] = node.args;
    if (arg !== undefined && arg.kind !== 'NamedArgument' && arg.kind !== 'StarArgument')
      return [...own, ...unorderedPaths(arg, columns)];
  }
  if (node.kind === 'ArraySubquery') {
    const { query } = node;
    return [...own, ...unnestedPaths(query, columns), ...elementPaths(query, columns)];
  }
  return computedPaths(node, columns);
}

/** The paths in a value that is computed in another way than from its parts. */
function computedPaths(node: Syntax.Node, columns: Columns): readonly string[] {
  if (hasNode(node, isUnorderedArray, columns)) return ['*'];
  const isWhole = (inner: Syntax.Node) =>
    columns.isUnorderedRow(inner) ||
    ((inner.kind === 'Star' || inner.kind === 'DotStar') && columns.hasOther(node));
  return hasNode(node, isWhole, columns) ? ['.*'] : [];
}

/** The paths in the elements of an array that are those of arrays which its query unnests. */
function unnestedPaths(query: Syntax.Query, columns: Columns): readonly string[] {
  const found: string[] = [];
  walk(query, (node) => {
    if (node.kind !== 'Unnest' && (node.kind !== 'Table' || node.path.parts.length === 1)) return;
    const paths = unorderedPaths(node.kind === 'Unnest' ? node.array : node.path, columns);
    if (node.withOffset && paths.length > 0) found.push('*');
    else if (paths.some((path) => path !== '')) found.push('.*');
  });
  return found;
}

/** The paths in the rows of a query, which are the elements of an array. */
function elementPaths(query: Syntax.Query, columns: Columns): readonly string[] {
  const items = query.body.kind === 'Select' ? query.body.items : [];
  const selected = items.flatMap((item) => (item.kind === 'SelectExpression' ? [item] : []));
  if (selected.length === 0 || selected.length < items.length || query.pipes.length > 0)
    return computedPaths(query, columns);
  const fields = selected.map(({ alias, expression }) => [nameOf(alias, expression), expression] as const);
  const isStruct = query.body.kind === 'Select' && query.body.as?.mode === 'STRUCT';
  return isStruct
    ? fieldPaths(fields, columns)
    : fields.flatMap(([, value]) => unorderedPaths(value, columns));
}

const fieldPaths = (
  fields: readonly (readonly [name: string | undefined, value: Syntax.Expression])[],
  columns: Columns,
): readonly string[] =>
  fields.flatMap(([name, value]) =>
    unorderedPaths(value, columns).map((path) =>
      name === undefined ? '*' : path.endsWith('*') ? path : path === '' ? name : `${name}.${path}`,
    ),
  );

/** The paths in a column or in a field of one, which have the path of the field no more. */
function pathsBelow({ parts }: Syntax.Path, columns: Columns): readonly string[] {
  const names = parts.map(({ name }) => foldName(name));
  return names.flatMap((name, at) => {
    const field = names.slice(at + 1).join('.');
    return columns.pathsOf(name).flatMap((path) => {
      if (field === '' || path === '*') return [path];
      if (path === '.*') return ['*'];
      if (path === field) return [''];
      return path.startsWith(`${field}.`) ? [path.slice(field.length + 1)] : [];
    });
  });
}

function isUnorderedArray(node: Syntax.Node): boolean {
  if (node.kind === 'ArraySubquery') return !isOrdered(node.query);
  return isCallOf(node, ['array_agg', 'array_concat_agg']) && node.orderBy.length === 0;
}

const isUnorderedText = (node: Syntax.Node): boolean =>
  isCallOf(node, ['string_agg']) && node.orderBy.length === 0;

const isCallOf = (node: Syntax.Node, names: readonly string[]): node is Syntax.FunctionCall =>
  node.kind === 'FunctionCall' &&
  names.includes(foldName(node.name.parts.at(-1)?.name ?? '')) &&
  node.over === undefined;

/** True if SQL defines the order of its rows. */
export const hasOrder = (sql: string): boolean => isOrdered(parseQuery(sql).query);

function isOrdered({ body, orderBy, pipes }: Syntax.Query): boolean {
  const isOfBody = orderBy.length > 0 || (body.kind === 'Query' && isOrdered(body));
  return pipes.reduce((isOfInput, pipe) => {
    if (pipe.kind === 'PipeOrderBy') return true;
    if (pipe.kind === 'PipeAggregate') return isOrderedAggregate(pipe);
    return isOfInput && keepsOrder.includes(pipe.kind);
  }, isOfBody);
}

/** The operators that return the rows of their input one by one. */
const keepsOrder: readonly Syntax.Node['kind'][] = [
  'PipeSelect',
  'PipeExtend',
  'PipeSet',
  'PipeDrop',
  'PipeRename',
  'PipeAs',
  'PipeWhere',
  'PipeLimit',
  'PipeWindow',
  'PipeWith',
];

/** True if a grouping item or an aggregate has a direction. */
const isOrderedAggregate = ({ ordered, groupBy, items }: Syntax.PipeAggregate): boolean =>
  ordered ||
  [...items, ...(groupBy?.items ?? [])].some((item) => 'order' in item && item.order.direction !== undefined);

/** True if the result of SQL depends on the time of the run. */
export const readsClock = (sql: string): boolean => /\bcurrent_(?:timestamp|date|datetime|time)\b/i.test(sql);
