import {
  choose,
  elementOf,
  emptyScope,
  enter,
  type Column,
  type FromClause,
  isArray,
  type Maker,
  orderedTypes,
  pick,
  type Relation,
  type Scope,
  splitFields,
  someTypes,
  withFields,
} from './maker.ts';
import { columnsOf, describeType } from '../../src/types.ts';
import { keyColumn, type RandomTable } from './tables.ts';
import { optional, sorted, sql, type Tree } from './tree.ts';

/** Some are words of SQL's grammar, or names that a compiler may use itself. */
const aliases = ['a', 't', 'u', 'v', 'w', 'z', 'Value', 'element', 'entry', 'input', 'x1'];

/** A FROM clause, and the scope of the query that reads it. */
export function makeFrom(maker: Maker, depth: number, outer: Scope): FromClause {
  const { random } = maker;
  const used: string[] = [];
  const nextAlias = () => {
    const alias = pick(
      random,
      aliases.filter((name) => !used.includes(name)),
    );
    used.push(alias);
    return alias;
  };
  const first = makeRelation(maker, depth, outer);
  let joined = named(first, nextAlias());
  let tree: Tree = sql`${first.tree} AS ${used[0] ?? ''}`;
  const relations = [{ alias: used[0] ?? '', columns: first.columns }];
  const most = depth > 1 ? 2 : 1;
  for (let count = random.below(most + 1); count > 0; count -= 1) {
    const around = enter(outer, used);
    const left: Scope = { ...around, columns: [...joined.columns, ...around.columns], key: joined.key };
    const alias = nextAlias();
    const next = joinNext(maker, depth, outer, left, alias, count === 1);
    joined = {
      columns: [...joined.columns, ...next.columns],
      key: joined.key && next.key && [...joined.key, ...next.key],
    };
    relations.push({ alias, columns: next.relation.columns });
    tree = sql`${tree}${optional`${next.tree}`}`;
  }
  const inner = enter(outer, used);
  const columns = [...withBareNames(joined.columns, random.percent(30)), ...inner.columns];
  return { tree, relations, scope: { ...inner, columns, key: joined.key, allowsSubqueries: true } };
}

interface Named {
  readonly columns: readonly Column[];
  readonly key: readonly string[] | undefined;
}

/** The columns as an alias names them. */
function named({ columns, key }: Relation, alias: string): Named {
  const qualified = columns.map((column) => ({ ...column, name: `${alias}.${column.name}` }));
  return { columns: qualified.flatMap(withFields), key: key?.map((name) => `${alias}.${name}`) };
}

/** Columns by their names alone, if no other one has the name. */
function withBareNames(columns: readonly Column[], isWanted: boolean): readonly Column[] {
  if (!isWanted) return columns;
  const alone = (name: string) => name.slice(name.indexOf('.') + 1);
  const first = (name: string) => alone(name).split('.')[0] ?? '';
  const counts = Map.groupBy(
    columns.filter(({ name }) => name.split('.').length === 2),
    ({ name }) => first(name),
  );
  return columns.map((column) =>
    column.name.includes('.') &&
    counts.get(first(column.name))?.length === 1 &&
    !/^c\d/.test(first(column.name))
      ? { ...column, name: alone(column.name), isBare: true }
      : column,
  );
}

function joinNext(maker: Maker, depth: number, outer: Scope, left: Scope, alias: string, isLast: boolean) {
  const { random } = maker;
  const arrays = left.columns.filter(({ type }) => isArray(type));
  const unnested =
    arrays.length > 0 && random.percent(40) ? unnestColumn(maker, pick(random, arrays), alias) : undefined;
  if (unnested) {
    const join = pick(random, [isLast ? ', ' : ' CROSS JOIN ', ' CROSS JOIN ', ' LEFT JOIN ']);
    return { ...unnested, tree: sql`${join}${unnested.relation.tree}` };
  }
  const relation = makeRelation(maker, Math.max(depth - 1, 0), outer);
  const right = named(relation, alias);
  const kind = pick(random, ['CROSS', 'INNER', 'INNER', 'LEFT', 'LEFT', 'RIGHT', 'FULL']);
  if (kind === 'CROSS')
    return {
      ...right,
      relation,
      tree: sql`${pick(random, [isLast ? ', ' : ' CROSS JOIN ', ' CROSS JOIN '])}${relation.tree} AS ${alias}`,
    };
  const on = joinCondition(maker, left, right);
  return { ...right, relation, tree: sql` ${kind} JOIN ${relation.tree} AS ${alias} ON ${on}` };
}

function joinCondition(maker: Maker, left: Scope, right: Named): Tree {
  const { random } = maker;
  const pairs = right.columns.flatMap((column) =>
    orderedTypes.includes(column.type)
      ? left.columns
          .filter(({ type }) => type === column.type)
          .map((other) => [column.name, other.name] as const)
      : [],
  );
  const scope: Scope = { ...left, columns: [...left.columns, ...right.columns], allowsSubqueries: false };
  if (pairs.length === 0) return maker.expression('BOOL', scope, 2);
  const [one, other] = pick(random, pairs);
  const further = random.percent(25) ? optional` AND ${maker.expression('BOOL', scope, 2)}` : '';
  return sql`${one} = ${other}${further}`;
}

/** An array of the rows before it as a relation. */
function unnestColumn({ random }: Maker, column: Column, alias: string) {
  const element = elementOf(column.type);
  const offset = `${alias}_at`;
  const position: Column = { name: offset, type: 'INT64', inputs: 'small' };
  const isRecord = element.startsWith('STRUCT<');
  const { fieldInputs } = column;
  const record: Column = { name: alias, type: element, ...(fieldInputs && { fieldInputs }) };
  const columns = isRecord ? withFields(record) : [record];
  const shown: readonly Column[] = isRecord ? splitFields(element) : [{ name: alias, type: element }];
  const hasOffset = random.percent(60);
  const tree = sql`UNNEST(${column.name}) AS ${alias}${hasOffset ? sql` WITH OFFSET AS ${offset}` : ''}`;
  return {
    relation: { tree, columns: hasOffset ? [...shown, position] : shown, key: undefined },
    columns: hasOffset ? [...columns, position] : columns,
    key: hasOffset ? [offset] : undefined,
  };
}

function makeRelation(maker: Maker, depth: number, outer: Scope): Relation {
  const { random, tables } = maker;
  const common = outer.commonTables;
  const made = choose<Relation>(random, [
    [5, () => tableRelation(pick(random, tables))],
    [common.length > 0 ? 6 : 0, () => pick(random, common)],
    [depth > 0 ? 2 : 0, () => subquery(maker, depth - 1, outer)],
    [1, () => literalRows(maker)],
    [0.7, () => unnested(maker, depth)],
    [0.4, () => pivoted(maker)],
    [0.4, () => unpivoted(maker)],
  ]);
  return made ?? tableRelation(pick(random, tables));
}

function tableRelation({ name, fields, classes }: RandomTable): Relation {
  const columns = columnsOf(fields).map(
    ({ name: column, type }): Column => ({
      name: column,
      type: describeType(type),
      inputs: classes.get(column),
      fieldInputs: (path) => classes.get(`${column}.${path}`),
    }),
  );
  return { tree: sorted('relation')`${name}`, columns, key: [keyColumn] };
}

function subquery(maker: Maker, depth: number, { commonTables }: Scope): Relation {
  const { tree, columns, key } = maker.query({
    depth,
    outer: { columns: [], key: [], commonTables, allowsSubqueries: true },
  });
  return { tree: sorted('relation')`(${tree})`, columns, key };
}

/** Rows of literals, some of them parameters. */
export function literalRows(maker: Maker): Relation {
  const { random } = maker;
  const scope: Scope = { columns: [], key: undefined, commonTables: [], allowsSubqueries: false };
  const types = ['INT64', ...someTypes(random, 2)];
  const columns = types.map(
    (type, at): Column => ({ name: `c${at}`, type, ...(at === 0 && { inputs: 'id' }) }),
  );
  const rows = Array.from({ length: 1 + random.below(4) }, (_, row) => {
    const values = types.map(
      (type, at) => sql`${at === 0 ? String(row + 1) : maker.expression(type, scope, 0)} AS c${String(at)}`,
    );
    return sql`STRUCT(${values.flatMap((one, at) => (at > 0 ? [', ', one] : [one]))})`;
  });
  const list = rows.flatMap((one, at) => (at > 0 ? [', ', one] : [one]));
  return { tree: sorted('relation')`(SELECT * FROM UNNEST([${list}]))`, columns, key: ['c0'] };
}

function unnested(maker: Maker, depth: number): Relation {
  const element = pick(maker.random, ['INT64', 'STRING', 'INT64', 'DATE', 'TIMESTAMP']);
  const scope: Scope = { ...emptyScope, allowsSubqueries: false };
  const array = maker.expression(`ARRAY<${element}>`, scope, Math.min(depth + 1, 2));
  return {
    tree: sorted('relation')`(SELECT c0, c1 FROM UNNEST(${array}) AS c0 WITH OFFSET AS c1)`,
    columns: [
      { name: 'c0', type: element },
      { name: 'c1', type: 'INT64', inputs: 'small' },
    ],
    key: ['c1'],
  };
}

function pivoted({ random }: Maker): Relation {
  const [aggregate, type] = pick(random, [
    ['SUM(n)', 'INT64'],
    ['COUNT(*)', 'INT64'],
    ['MAX(s)', 'STRING'],
    ['MIN(day)', 'DATE'],
  ] as const);
  const source = `(SELECT b, n, ${pick(random, ['k', 's', 'day'])} AS s0, s, day FROM flat)`;
  const input = pick(random, [source, '(SELECT b, n, s, day FROM flat)']);
  const isKept = input === source;
  const used = aggregate.includes('(n)')
    ? ['n']
    : aggregate.includes('(s)')
      ? ['s']
      : aggregate.includes('(day)')
        ? ['day']
        : [];
  const types: Record<string, string> = { n: 'INT64', s: 'STRING', day: 'DATE' };
  const rest = ['n', ...(isKept ? [] : []), 's', 'day'].filter((name) => !used.includes(name));
  const kept: readonly Column[] = isKept ? [] : rest.map((name) => ({ name, type: types[name] ?? '' }));
  if (isKept) return pivotedSource(aggregate, type);
  return {
    tree: sorted(
      'relation',
    )`(SELECT * FROM ${input} PIVOT(${aggregate} FOR b IN (TRUE AS c_yes, FALSE AS c_no)))`,
    columns: [...kept, { name: 'c_yes', type }, { name: 'c_no', type }],
    key: kept.map(({ name }) => name),
  };
}

/** All rows in one group. */
function pivotedSource(aggregate: string, type: string): Relation {
  const column = /\((\w+)\)/.exec(aggregate)?.[1];
  const input = `(SELECT b${column === undefined ? '' : `, ${column}`} FROM flat)`;
  return {
    tree: sorted(
      'relation',
    )`(SELECT * FROM ${input} PIVOT(${aggregate} FOR b IN (TRUE AS c_yes, FALSE AS c_no)))`,
    columns: [
      { name: 'c_yes', type },
      { name: 'c_no', type },
    ],
    key: [],
  };
}

function unpivoted({ random }: Maker): Relation {
  const nulls = pick(random, ['', ' INCLUDE NULLS', ' EXCLUDE NULLS']);
  const [columns, type] = pick(random, [
    ['n, i', 'INT64'],
    ['s, k', 'STRING'],
    ['f, g', 'FLOAT64'],
    ['d, e', 'NUMERIC'],
  ] as const);
  return {
    tree: sorted(
      'relation',
    )`(SELECT id, c_value, c_name FROM flat UNPIVOT${nulls}(c_value FOR c_name IN (${columns})))`,
    columns: [
      { name: 'id', type: 'INT64', inputs: 'id' },
      { name: 'c_value', type },
      { name: 'c_name', type: 'STRING' },
    ],
    key: ['id', 'c_name'],
  };
}
