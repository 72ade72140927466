import { foldName } from '@querygate/text';
import type * as Syntax from '../../syntax/nodes.ts';
import { column, nullLiteral, select } from '../../tree/build.ts';
import type { Expression, Member, Query, Select, SetOperation } from '../../tree/nodes.ts';
import { describeType, duckdbType, sameName, type Type, unknown } from '../../types.ts';
import { convert, supertype } from '../coercion.ts';
import { isCollated } from '../collation.ts';
import type { Context, ResolvedQuery } from '../context.ts';
import { absentIn, type RelationColumn } from '../scope.ts';
import { type Place, Unsupported } from '../unsupported.ts';
import { distinctRows, groupableInstead, isGroupableAnywhere } from './after-grouping.ts';
import { aggregatesRows } from './grouping.ts';
import { isOpen, openColumns } from './outputs.ts';

const operators: Readonly<Record<string, SetOperation['operator']>> = {
  'UNION ALL': 'UNION ALL',
  'UNION DISTINCT': 'UNION',
  'INTERSECT DISTINCT': 'INTERSECT',
  'EXCEPT DISTINCT': 'EXCEPT',
};

/** Columns have the common type of all inputs; they are matched by position, or by name where it says so. */
export function combine(
  place: Place,
  { operator, quantifier, match }: Syntax.SetOperator,
  inputs: readonly ResolvedQuery[],
  context: Context,
): ResolvedQuery {
  const incomplete = inputs.find(
    ({ acceptsAnyColumn, columns }) => acceptsAnyColumn || columns.some(({ isDoubtful }) => isDoubtful),
  );
  if (incomplete) return incomplete;
  const words = `${operator} ${quantifier}`;
  const duckdb = operators[words];
  if (!duckdb)
    throw new Unsupported(
      place,
      `${words} is not supported; expected one of ${Object.keys(operators).join(', ')}`,
    );
  if (new Set(inputs.map(({ isOfFields }) => isOfFields)).size > 1)
    throw new Unsupported(
      place,
      `${words} takes the rows of an array of STRUCTs as one value each: SELECT their fields`,
    );
  // A column of an input has a name and a value.
  context.limits?.nodes(
    place,
    inputs.reduce((sum, { columns }) => sum + 2 * columns.length, 0),
  );
  const matched = match ? matchByName(place, words, match, inputs) : matchByPosition(place, words, inputs);
  const columns = matched.map((parts, at) => commonColumn(place, words, parts, at, inputs));
  if (quantifier === 'DISTINCT') {
    const isDistinguished = (type: Type) =>
      isGroupableAnywhere(type) || (duckdb === 'UNION' && isCollated(type));
    const wrong = columns.find(({ type }) => !isDistinguished(type));
    if (wrong)
      throw new Unsupported(
        place,
        `${words} does not take ${describeType(wrong.type)}${groupableInstead(wrong.type)}`,
      );
  }
  const queries = inputs.map((input, at) => {
    const order = matched.map((parts) => parts[at]);
    return withColumns(input, order, columns, context);
  });
  const isValue = !match && inputs.every((input) => input.isValue);
  const given = { columns, isValue, ...absentIn(inputs) };
  if (duckdb !== 'UNION' || !columns.some(({ type }) => isCollated(type)))
    return { query: { kind: 'set', operator: duckdb, inputs: queries }, ...given };
  const [alias, rows] = [context.fresh('united'), context.fresh('rows')];
  const all = select({
    columns: columns.map(({ column: name, type }) => ({ name, value: column(alias, name, type) })),
    from: { kind: 'derived', alias, query: { kind: 'set', operator: 'UNION ALL', inputs: queries } },
    distinct: true,
  });
  return { query: distinctRows(all, rows), ...given };
}

/** For each column of the result the column of each input; undefined where an input has none. */
type Matched = readonly (readonly (RelationColumn | undefined)[])[];

function matchByPosition(place: Place, words: string, inputs: readonly ResolvedQuery[]): Matched {
  const [first] = inputs;
  const hasOpen = inputs.some(({ columns }) => isOpen(columns));
  if (!first || (!hasOpen && inputs.some(({ columns }) => columns.length !== first.columns.length)))
    throw new Unsupported(place, `${words} needs queries with the same number of columns`);
  return first.columns.map((_, at) => inputs.map(({ columns }) => columns[at]));
}

/** BY NAME and CORRESPONDING. */
function matchByName(
  place: Place,
  words: string,
  { mode, spelling, columns: listed }: Syntax.ColumnMatch,
  inputs: readonly ResolvedQuery[],
): Matched {
  const named = inputs.map(({ columns }) => columns.filter(({ isAnonymous }) => !isAnonymous));
  const byKey = named.map(
    (columns) => new Map(columns.toReversed().map((own) => [foldName(own.name), own] as const)),
  );
  for (const [at, columns] of named.entries()) {
    if (columns.length < (inputs[at]?.columns.length ?? 0))
      throw new Unsupported(place, `${words} ${spelling} needs a name for each column`);
    const repeated = columns.find((own) => byKey[at]?.get(foldName(own.name)) !== own);
    if (repeated)
      throw new Unsupported(place, `${words} ${spelling}: ${repeated.name} occurs twice in one query`);
  }
  const has = named.map(
    (columns, at) => (name: string) => isOpen(columns) || byKey[at]?.has(foldName(name)) === true,
  );
  const effective = mode ?? (spelling === 'BY NAME' ? 'STRICT' : 'INNER');
  const isResult = (name: string) => {
    if (effective === 'FULL') return has.some((one) => one(name));
    return effective === 'LEFT' ? has[0]?.(name) === true : has.every((one) => one(name));
  };
  const distinct = withoutRepeated(named.flat().map(({ name }) => name));
  const names =
    listed.length > 0
      ? listed.map(({ name }) => name)
      : distinct.filter((name) => effective === 'STRICT' || isResult(name));
  requireListed(`${words} ${spelling}`, effective, isResult, listed);
  const isTaken = (name: string) =>
    listed.length > 0 ? names.some((result) => sameName(result, name)) : isResult(name);
  const left = distinct.find((name) => name !== openColumns && !isTaken(name));
  if (effective === 'STRICT' && left !== undefined)
    throw new Unsupported(
      place,
      listed.length > 0
        ? `${words} ${spelling} needs exactly the listed columns in each query: ${left} is not listed; INNER before it leaves others out`
        : `${words} ${spelling} needs the same columns in each query: ${left} is missing in one`,
    );
  if (names.length === 0) throw new Unsupported(place, `${words} ${spelling} finds no common column`);
  return names.map((name) => byKey.map((columns) => columns.get(foldName(name))));
}

function withoutRepeated(names: readonly string[]): readonly string[] {
  const seen = new Set<string>();
  return names.filter((name) => {
    const { size } = seen;
    return seen.add(foldName(name)).size > size;
  });
}

/** The columns that ON and BY list are there once, and in each query whose columns the mode takes. */
function requireListed(
  words: string,
  mode: string,
  isResult: (name: string) => boolean,
  listed: readonly Syntax.Identifier[],
): void {
  const owner = { FULL: 'no query has', LEFT: 'the first query lacks' }[mode] ?? 'a query lacks';
  for (const [at, node] of listed.entries()) {
    if (!isResult(node.name)) throw new Unsupported(node, `${words} lists ${node.name}, which ${owner}`);
    if (listed.slice(0, at).some(({ name }) => sameName(name, node.name)))
      throw new Unsupported(node, `${words} lists ${node.name} twice`);
  }
}

function commonColumn(
  place: Place,
  words: string,
  parts: readonly (RelationColumn | undefined)[],
  at: number,
  inputs: readonly ResolvedQuery[],
): RelationColumn {
  const values = parts.flatMap((part, input) => {
    const query = inputs[input];
    return part && query ? [expressionOf(query.query, part)] : [];
  });
  const [shown] = parts.filter((part) => part !== undefined);
  const type = inputs.some(({ columns }) => isOpen(columns)) ? unknown : supertype(values);
  if (!type || !shown) {
    const types = values.map((value) => describeType(value.type)).join(', ');
    throw new Unsupported(place, `${words} has no common type for column ${at + 1} (${types}): CAST one`);
  }
  const { name, column: own, isAnonymous, except } = shown;
  return { name, column: own, type, ...(isAnonymous && { isAnonymous }), ...(except && { except }) };
}

/** The expression of a column: a literal there is converted more freely than other values. */
function expressionOf(query: Query, part: RelationColumn): Expression {
  const found = query.kind === 'select' ? valuesOf(query).get(part.column) : undefined;
  return found ?? column('', part.column, part.type);
}

const values = new WeakMap<Select, ReadonlyMap<string, Expression>>();

/** The values of a select list by their names, of which each is looked for. */
function valuesOf(query: Select): ReadonlyMap<string, Expression> {
  const known = values.get(query);
  if (known !== undefined) return known;
  const byName = new Map(query.columns.map(({ name, value }) => [name, value]));
  values.set(query, byName);
  return byName;
}

/** An input with exactly these columns and types, since DuckDB may choose others. */
export function withColumns(
  { query, columns: own }: ResolvedQuery,
  order: readonly (RelationColumn | undefined)[],
  columns: readonly RelationColumn[],
  context: Context,
): Query {
  const isSame =
    own.length === columns.length &&
    columns.every((target, at) => order[at] === own[at] && hasType(order[at], target));
  if (isSame) return query;
  if (query.kind === 'select' && canReplaceColumns(query))
    return { ...query, columns: members(order, columns, (part) => expressionOf(query, part)) };
  const alias = context.fresh('part');
  return select({
    columns: members(order, columns, (part) => column(alias, part.column, part.type)),
    from: { kind: 'derived', alias, query },
  });
}

const hasType = (part: RelationColumn | undefined, { type }: RelationColumn) =>
  part !== undefined && part.type.kind !== 'null' && duckdbType(part.type) === duckdbType(type);

/** True if the select list can be changed without changing the rows: an aggregate in it makes one row of all. */
const canReplaceColumns = ({ columns, distinct, groupBy, having, orderBy }: Select): boolean =>
  !distinct &&
  !groupBy &&
  having.length === 0 &&
  orderBy.length === 0 &&
  !columns.some(({ value }) => aggregatesRows(value));

const members = (
  order: readonly (RelationColumn | undefined)[],
  columns: readonly RelationColumn[],
  valueOfPart: (part: RelationColumn) => Expression,
): readonly Member[] =>
  columns.map((target, at) => {
    const part = order[at];
    return {
      name: target.column,
      value: part ? convert(valueOfPart(part), target.type) : nullLiteral(target.type),
    };
  });
