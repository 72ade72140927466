import { aggregateNames } from '../../src/rules/functions/aggregate-names.ts';
import {
  aggregateCall,
  direction,
  inexactAggregate,
  rowValue,
  windowCall,
  withoutSubqueries,
} from './aggregates.ts';
import { fromTemplate } from './expressions.ts';
import { literalRows } from './from.ts';
import {
  type Column,
  emptyScope,
  type FromClause,
  type Made,
  type Maker,
  orderedTypes,
  pick,
  type QueryOptions,
  type Relation,
  type Scope,
  someTypes,
} from './maker.ts';
import { choice, list, optional, type Part, replaceIn, sorted, sql, type Tree, type Value } from './tree.ts';

/** A query with its common tables, order and limit. */
export function makeQuery(maker: Maker, options: QueryOptions): Made {
  const { random } = maker;
  const { depth, outer = emptyScope, rows } = options;
  const isTop = options.outer === undefined;
  const count = random.percent(isTop ? 40 : depth > 0 ? 8 : 0) ? 1 + random.below(2) : 0;
  const { tree: withClause, scope } = commonTables(maker, outer, count, depth);
  const body = makeBody(maker, { ...options, outer: scope });
  const ordering = orderAndLimit(maker, body, isTop, rows);
  return {
    ...body,
    ...ordering,
    key: ordering.isCut ? undefined : body.key,
    tree: sorted('query')`${withClause}${body.tree}${ordering.tree}`,
  };
}

function commonTables(maker: Maker, outer: Scope, count: number, depth: number) {
  const { random } = maker;
  let scope = outer;
  const definitions: Tree[] = [];
  for (let at = 0; at < count; at += 1) {
    const name = maker.fresh('common');
    const { tree, columns, key } = random.percent(25)
      ? literalRows(maker)
      : maker.query({ depth: Math.max(depth - 1, 0), outer: { ...scope, columns: [] } });
    definitions.push(sql`${name} AS (${random.percent(0) ? '' : sql`SELECT * FROM (${tree})`})`);
    const relation: Relation = { tree: sorted('relation')`${name}`, columns, key };
    scope = { ...scope, commonTables: [...scope.commonTables, relation] };
  }
  const tree = definitions.length > 0 ? optional`WITH ${list(definitions)} ` : '';
  return { tree, scope };
}

interface Body extends Relation {
  readonly columns: readonly Column[];
}

function makeBody(maker: Maker, options: QueryOptions & { readonly outer: Scope }): Body {
  const { random } = maker;
  if (options.rows === 'one row') return oneRow(maker, options);
  const { depth, types } = options;
  const isSet = depth > 0 && random.percent(12);
  if (!isSet) return makeSelect(maker, options);
  const wanted = types ?? someTypes(random, 3).map((type) => (orderedTypes.includes(type) ? type : 'INT64'));
  return setOperation(maker, { ...options, types: wanted, depth: depth - 1 });
}

function setOperation(
  maker: Maker,
  options: QueryOptions & { readonly outer: Scope; readonly types: readonly string[] },
): Body {
  const { random } = maker;
  const isDistinct = options.types.every((type) => orderedTypes.includes(type));
  const operators = ['UNION ALL', 'UNION ALL'];
  if (isDistinct) operators.push('UNION DISTINCT', 'INTERSECT DISTINCT', 'EXCEPT DISTINCT');
  const operator = pick(random, operators);
  const first = makeSelect(maker, options);
  const others = Array.from({ length: 1 + random.below(2) }, () => {
    // The columns of the first query decide the types if those of the others convert to them.
    const types = options.types.map((type) =>
      (type === 'FLOAT64' || type === 'NUMERIC') && random.percent(20) ? 'INT64' : type,
    );
    return makeSelect(maker, { ...options, types });
  });
  const operands = [first, ...others].map(({ tree }) => sql`(${sorted('query')`${tree}`})`);
  return {
    tree: sorted('query')`${list(operands, ` ${operator} `, 2)}`,
    columns: first.columns.map(({ name }, at) => ({ name, type: options.types[at] ?? '' })),
    key: operator === 'UNION ALL' ? undefined : first.columns.map(({ name }) => name),
  };
}

/** A query of at most one row. */
function oneRow(maker: Maker, options: QueryOptions & { readonly outer: Scope }): Body {
  const { random } = maker;
  const { outer, depth } = options;
  const type = options.types?.[0] ?? 'INT64';
  if (random.percent(10)) {
    const value = maker.expression(type, outer, depth);
    return { tree: sql`SELECT ${value}`, columns: [{ name: 'c0', type }], key: [] };
  }
  if (orderedTypes.includes(type) && random.percent(30)) {
    const { tree, columns } = makeSelect(maker, { ...options, types: [type] });
    return { tree: sql`${tree} ORDER BY 1${direction(random.below(6))} LIMIT 1`, columns, key: [] };
  }
  const from = maker.from(depth, outer);
  const where = whereClause(maker, from.scope, depth);
  const scope: Scope = {
    ...from.scope,
    columns: outerColumns(from.scope, outer),
    calls: (wanted, left) => aggregateCall(maker, wanted, from.scope, left),
  };
  const call = aggregateCall(maker, type, from.scope, depth);
  const computed = () => maker.expression(type, scope, 1);
  const isComputed = call === undefined || random.percent(20);
  // Without an aggregate there would be a row for each row.
  const value = isComputed ? sorted(type)`IF(COUNT(*) > ${'1'}, ${computed()}, ${computed()})` : call;
  const having = random.percent(15) ? optional` HAVING COUNT(*) ${pick(random, ['>= 0', '> 0', '> 2'])}` : '';
  return {
    tree: sql`SELECT ${value} AS c0 FROM ${from.tree}${where}${having}`,
    columns: [{ name: 'c0', type }],
    key: [],
  };
}

/** The columns of a scope that belong to the queries around it. */
const outerColumns = (scope: Scope, outer: Scope): readonly Column[] =>
  scope.columns.filter(({ name }) => outer.columns.some((column) => column.name === name));

function makeSelect(maker: Maker, options: QueryOptions & { readonly outer: Scope }): Body {
  const { random } = maker;
  const { outer, depth } = options;
  if (random.percent(3)) {
    const columns = named(options.types ?? someTypes(random, 3));
    const items = columns.map(({ name, type }) => sql`${maker.expression(type, outer, depth)} AS ${name}`);
    return { tree: sql`SELECT ${list(items, ', ', options.types?.length)}`, columns, key: [] };
  }
  const from = maker.from(depth, outer);
  const where = whereClause(maker, from.scope, depth);
  if (random.percent(32)) return grouped(maker, options, from, where);
  return plain(maker, options, from, where);
}

const named = (types: readonly string[]): readonly Column[] =>
  types.map((type, at) => ({ name: `c${at}`, type }));

const whereClause = (maker: Maker, scope: Scope, depth: number): Tree =>
  maker.random.percent(50) ? optional` WHERE ${maker.expression('BOOL', scope, Math.min(depth, 2))}` : '';

function plain(
  maker: Maker,
  options: QueryOptions & { readonly outer: Scope },
  from: FromClause,
  where: Tree,
): Body {
  const { random } = maker;
  const { depth } = options;
  const isWindowed = random.percent(30);
  const scope: Scope = isWindowed
    ? { ...from.scope, calls: (type, left) => windowCall(maker, type, withoutCalls(from.scope), left) }
    : from.scope;
  const qualify = random.percent(isWindowed ? 20 : 6) ? qualifyClause(maker, from.scope, depth) : '';
  const star = options.types === undefined && random.percent(12) ? starItem(maker, from) : undefined;
  if (star)
    return {
      tree: sql`SELECT ${star.tree} FROM ${from.tree}${where}${qualify}`,
      columns: star.columns,
      key: undefined,
    };
  const columns = named(options.types ?? someTypes(random, 4));
  const items: Tree[] = columns.map(
    ({ name, type }) => sql`${outputExpression(maker, type, scope, depth, false)} AS ${name}`,
  );
  const isDistinct = random.percent(10) && columns.every(({ type }) => orderedTypes.includes(type));
  const key = options.types === undefined && !isDistinct && random.percent(60) ? from.scope.key : undefined;
  const keyColumns = (key ?? []).map((_, at): Column => ({ name: `key${at}`, type: 'INT64', inputs: 'id' }));
  const keyTypes = (key ?? []).map((name) => from.scope.columns.find((column) => column.name === name)?.type);
  for (const [at, name] of (key ?? []).entries()) items.push(sql`${name} AS key${String(at)}`);
  const all = [...columns, ...keyColumns.map((column, at) => ({ ...column, type: keyTypes[at] ?? 'INT64' }))];
  const keyNames = key && keyColumns.map(({ name }) => name);
  return {
    tree: sql`SELECT ${isDistinct ? optional`DISTINCT ` : ''}${list(items, ', ', options.types ? items.length : 1)} FROM ${from.tree}${where}${qualify}`,
    columns: all,
    key: isDistinct ? columns.map(({ name }) => name) : keyNames,
  };
}

function withoutCalls({ calls: _, ...scope }: Scope): Scope {
  return scope;
}

/** What a query returns may differ in the last digits. */
function outputExpression(maker: Maker, type: string, scope: Scope, depth: number, isGrouped: boolean): Tree {
  const { random } = maker;
  if (type === 'FLOAT64' && !isGrouped && random.percent(20))
    return (
      fromTemplate(maker, type, withoutCalls(scope), Math.min(depth, 2), false) ??
      maker.expression(type, scope, depth)
    );
  return maker.expression(type, scope, depth);
}

function qualifyClause(maker: Maker, scope: Scope, depth: number): Tree {
  const call = windowCall(maker, 'INT64', withoutCalls(scope), Math.min(depth, 1));
  return call
    ? optional` QUALIFY ${call} ${pick(maker.random, ['<=', '=', '>', '<'])} ${pick(maker.random, ['1', '2', '3'])}`
    : '';
}

/** `*`, with some columns left out or replaced. */
function starItem(
  maker: Maker,
  { relations, scope }: FromClause,
): { tree: Tree; columns: readonly Column[] } | undefined {
  const { random } = maker;
  const [relation, ...others] = relations;
  if (!relation || others.length > 0 || relation.columns.length === 0) return undefined;
  const column = pick(random, relation.columns);
  const star = pick(random, ['*', `${relation.alias}.*`]);
  const form = random.below(3);
  if (form === 1 && relation.columns.length > 1)
    return {
      tree: `${star} EXCEPT (${column.name})`,
      columns: relation.columns.filter((one) => one !== column),
    };
  if (form === 2 && column.inputs !== undefined && orderedTypes.includes(column.type))
    return {
      tree: sql`${star} REPLACE (${maker.expression(column.type, scope, 1)} AS ${column.name})`,
      columns: relation.columns.map(({ name, type }) => ({ name, type })),
    };
  return { tree: star, columns: relation.columns };
}

interface Key {
  /** How the column is named before and after grouping: both mean the same. */
  readonly before: Tree;
  readonly column: Column | undefined;
  readonly type: string;
}

function grouped(
  maker: Maker,
  options: QueryOptions & { readonly outer: Scope },
  from: FromClause,
  where: Tree,
): Body {
  const { random } = maker;
  const { depth, outer } = options;
  const own = from.scope.columns.filter(
    ({ name, type }) => orderedTypes.includes(type) && !outer.columns.some((column) => column.name === name),
  );
  const sets = random.percent(25) && own.length > 0 && options.types === undefined;
  const types = options.types ?? someTypes(random, 4);
  const keys = uniqueKeys(random.some(2, () => groupKey(maker, from.scope, own, types, depth, sets)));
  if (keys.length === 0) keys.push(groupKey(maker, from.scope, own, types, depth, sets));
  const keyColumns = keys.flatMap(({ column }) => column ?? []);
  const aggregates: Scope = {
    ...from.scope,
    key: undefined,
    columns: [...keyColumns, ...outerColumns(from.scope, outer)],
    calls: (type, left) => aggregateCall(maker, type, from.scope, left),
    allowsSubqueries: from.scope.allowsSubqueries && random.percent(50),
  };
  const isWindowed = !sets && random.percent(15);
  const windows: Scope = isWindowed
    ? {
        ...aggregates,
        calls: (type, left) => windowCall(maker, type, aggregates, left) ?? aggregates.calls?.(type, left),
      }
    : aggregates;
  const columns = named(types);
  const usedKeys = new Map<number, Key>();
  const items: Tree[] = columns.map(({ name, type }, at) => {
    const key = random.percent(50)
      ? keys.find((one) => one.type === type && ![...usedKeys.values()].includes(one))
      : undefined;
    if (key) usedKeys.set(at, key);
    const value = key
      ? key.column
        ? sorted(type)`${key.column.name}`
        : key.before
      : groupedValue(maker, type, windows, from.scope, depth);
    return sql`${value} AS ${name}`;
  });
  const having = random.percent(25) ? optional` HAVING ${maker.expression('BOOL', aggregates, 1)}` : '';
  const itemList = list(items, ', ', options.types || usedKeys.size > 0 ? items.length : 1);
  const key = keys.every((one) => [...usedKeys.values()].includes(one))
    ? [...usedKeys.keys()].map((at) => `c${at}`)
    : undefined;
  if (sets)
    return groupingSets(maker, {
      items,
      columns,
      from,
      where,
      having,
      keys,
    });
  const groups = keys.map((one) => {
    const at = [...usedKeys].find(([, used]) => used === one)?.[0];
    const written = one.column ? one.column.name.replaceAll('`', '') : one.before;
    return at === undefined || random.percent(50) ? written : pick(random, [String(at + 1), `c${at}`]);
  });
  return {
    tree: sql`SELECT ${itemList} FROM ${from.tree}${where} GROUP BY ${list(groups)}${having}`,
    columns,
    key,
  };
}

function groupedValue(maker: Maker, type: string, scope: Scope, rows: Scope, depth: number): Tree {
  if (type === 'FLOAT64' && maker.random.percent(25)) return inexactAggregate(maker, rows);
  return maker.expression(type, scope, Math.min(depth, 2));
}

/** The same column in another spelling, so that it can be found in what is computed after grouping. */
const afterGrouping = (name: string): string =>
  name
    .split('.')
    .map((one, at, all) => (at === all.length - 1 ? `\`${one}\`` : one))
    .join('.');

function groupKey(
  maker: Maker,
  scope: Scope,
  own: readonly Column[],
  types: readonly string[],
  depth: number,
  isColumn: boolean,
): Key {
  const { random } = maker;
  const wanted = types.filter((type) => orderedTypes.includes(type));
  const type = wanted.length > 0 && random.percent(70) ? pick(random, wanted) : pick(random, orderedTypes);
  const fitting = own.filter((column) => column.type === type);
  const column = fitting.length > 0 ? pick(random, fitting) : isColumn ? pick(random, own) : undefined;
  if (column && (isColumn || random.percent(60)))
    return {
      before: column.name,
      column: { ...column, name: afterGrouping(column.name) },
      type: column.type,
    };
  return {
    before: rowValue(maker, withoutSubqueries(scope), [type], Math.min(depth, 2)),
    column: undefined,
    type,
  };
}

const uniqueKeys = (keys: readonly Key[]): Key[] =>
  keys.filter(({ before }, at) => keys.findIndex((other) => other.before === before) === at);

interface Grouped {
  readonly items: readonly Tree[];
  readonly columns: readonly Column[];
  readonly from: FromClause;
  readonly where: Tree;
  readonly having: Tree;
  readonly keys: readonly Key[];
}

/** ROLLUP, CUBE and GROUPING SETS; the reference unites a query for each set. */
function groupingSets(maker: Maker, { items, columns, from, where, having, keys }: Grouped): Body {
  const { random } = maker;
  const names = keys.map(({ before }) => String(before));
  const all = names.map((_, at) => at);
  const form = random.below(3);
  const rollup = [...all.map((at) => all.slice(0, all.length - at)), []];
  const cube = Array.from({ length: 2 ** all.length }, (_, bits) =>
    all.filter((at) => (bits >> at) % 2 === 1),
  );
  const some = [all, ...random.some(2, () => all.filter(() => random.percent(50)))];
  const sets = [rollup, cube, some][form] ?? rollup;
  const set = (one: readonly number[]) => `(${one.map((at) => names[at]).join(', ')})`;
  const clause =
    [
      `ROLLUP(${names.join(', ')})`,
      `CUBE(${names.join(', ')})`,
      `GROUPING SETS(${some.map(set).join(', ')})`,
    ][form] ?? '';
  const grouping = names.map((name, at) => sql`${groupingOf(name)} AS g${String(at)}`);
  const withGrouping = random.percent(50);
  // The query of the empty set has no GROUP BY: an aggregate makes it return one row, which is left out if it counts no rows.
  const shown: readonly Tree[] = [...items, ...(withGrouping ? grouping : [])];
  const tree = choice(
    'query',
    [list(shown), from.tree, where, having],
    ([itemsOf = '', tables = '', filter = '', groups = '']) =>
      sql`SELECT COUNT(*) AS total, ${itemsOf} FROM ${tables}${filter} GROUP BY ${clause}${groups}`,
    ([itemsOf = '', tables = '', filter = '', groups = '']) =>
      list(
        sets.map((one) => {
          const absent = keys.filter((_, at) => !one.includes(at));
          const of = (node: Tree) => withoutKeys(node, absent);
          const by = one.length > 0 ? ` GROUP BY ${one.map((at) => names[at]).join(', ')}` : '';
          const query = sql`SELECT COUNT(*) AS total, ${of(itemsOf)} FROM ${tables}${filter}${by}${of(groups)}`;
          return one.length > 0 ? query : sql`SELECT * FROM (${query}) WHERE total > 0`;
        }),
        ' UNION ALL ',
      ),
  );
  const flags: readonly Column[] = withGrouping
    ? names.map((_, at) => ({ name: `g${at}`, type: 'INT64' }))
    : [];
  return { tree, columns: [{ name: 'total', type: 'INT64' }, ...columns, ...flags], key: undefined };
}

const groupingOf = (name: string): Tree => sorted('grouping')`GROUPING(${name})`;

/** The absent keys of a grouping set are NULL, but not within its own aggregates, and GROUPING of them is 1. */
function withoutKeys(tree: Tree, absent: readonly Key[], isInner = false): Tree {
  return replaceIn(tree, (node) => {
    if (typeof node === 'string' || node.kind !== 'part') return undefined;
    if (node.sort === 'query' && !isInner) return withoutKeys(node, absent, true);
    const text = node.parts.every((one) => typeof one === 'string') ? node.parts.join('') : '';
    if (node.sort === 'grouping')
      return absent.some(({ before }) => text === `GROUPING(${before})`) ? '1' : '0';
    if (isAggregate(node) && !isInner) return node;
    const key = absent.find(({ column }) => unquoted(column?.name) === unquoted(text));
    return key && `CAST(NULL AS ${key.type})`;
  });
}

const isAggregate = ({ parts }: Part): boolean => {
  const [name = ''] = parts
    .filter((one) => typeof one === 'string')
    .join('')
    .split('(');
  return aggregateNames.includes(name.toLowerCase());
};

const unquoted = (name: string | undefined) => name?.replaceAll('`', '');

interface Ordering {
  readonly tree: Tree;
  readonly sortedBy: readonly number[] | undefined;
  readonly isCut: boolean;
}

function orderAndLimit(
  maker: Maker,
  { columns }: Body,
  isTop: boolean,
  rows: QueryOptions['rows'],
): Ordering {
  const { random } = maker;
  if (rows === 'one row') return { tree: '', sortedBy: undefined, isCut: false };
  const sortable = columns.flatMap(({ type }, at) => (orderedTypes.includes(type) ? [at] : []));
  const isTotal = sortable.length === columns.length;
  const isWanted = rows === 'sorted' || random.percent(isTop ? 55 : 15);
  if (!isWanted || sortable.length === 0 || (!isTop && !isTotal)) {
    // Which rows remain is not defined, but how many is.
    const isCut = isTop && random.percent(6);
    return { tree: isCut ? optional` LIMIT ${rowCount(maker)}` : '', sortedBy: undefined, isCut };
  }
  const mixed = sortable.map((at) => ({ at, rank: random.below(1000) })).sort((a, b) => a.rank - b.rank);
  const most = isTop && random.percent(50) ? 1 + random.below(mixed.length) : mixed.length;
  const sortedBy = mixed.slice(0, most).map(({ at }) => at);
  const keys = sortedBy.map(
    (at) => sql`${pick(random, [String(at + 1), columns[at]?.name ?? ''])}${direction(random.below(6))}`,
  );
  const isCut = random.percent(rows === 'sorted' ? 20 : isTop ? 40 : 100);
  const offset = random.percent(25) ? optional` OFFSET ${rowCount(maker)}` : '';
  const limit = isCut ? optional` LIMIT ${rowCount(maker)}${offset}` : '';
  return { tree: sql` ORDER BY ${list(keys, ', ', keys.length)}${limit}`, sortedBy, isCut };
}

function rowCount({ random, fresh }: Maker): Value {
  const literal = String(random.below(6));
  const name = fresh('p');
  return {
    kind: 'value',
    literal,
    sort: 'count',
    ...(random.percent(40) && { parameter: { name, value: { type: 'INT64' as const, value: literal } } }),
  };
}
