import {
  type GraphQLFieldConfigArgumentMap,
  GraphQLInputObjectType,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
} from 'graphql';
import type { Column, OrderKey, SavedQuery } from '../../../../catalog/model/saved-query.ts';
import { memoize } from '../../../../memoize.ts';
import { camelCase, pascalCase } from '../../../../names/graphql-names.ts';
import {
  ArgumentReader,
  invalid,
  type Operator,
  readCount,
} from '../../../../row-arguments/reading/argument-reader.ts';
import { allRows, type Condition, type RowArguments } from '../../../../row-arguments/row-arguments.ts';
import { comparisonType, rowOrder } from './comparison-types.ts';

/** The arguments of `rows`; none if no column is marked. */
export function rowArgumentTypes(query: SavedQuery): GraphQLFieldConfigArgumentMap {
  const { rowArguments } = query;
  if (rowArguments === undefined) return {};
  const order = orderType(query);
  return {
    ...whereArgument(query),
    ...(order && {
      orderBy: {
        type: new GraphQLList(new GraphQLNonNull(order)),
        description: 'The columns to order by, the most significant one first. Equal rows keep their order.',
      },
    }),
    first: { type: GraphQLInt, description: 'How many rows at most.' },
    offset: { type: GraphQLInt, description: 'How many rows to leave out before them.' },
  };
}

/** The argument `where`, if a column can be filtered. */
export function whereArgument(query: SavedQuery): GraphQLFieldConfigArgumentMap {
  const where = whereType(query);
  return where === 'none' ? {} : { where: { type: where, description: 'Which rows to keep.' } };
}

const whereType = memoize((query: SavedQuery): GraphQLInputObjectType | 'none' => {
  const { filter = [] } = query.rowArguments ?? {};
  if (filter.length === 0) return 'none';
  const type: GraphQLInputObjectType = new GraphQLInputObjectType({
    name: `${pascalCase(query.name)}Where`,
    description: `A condition on rows of ${query.name}; all that it says must be true.`,
    fields: () => ({
      ...Object.fromEntries(
        filter.map(({ name, type, description }) => [
          camelCase(name),
          { type: comparisonType(type), description },
        ]),
      ),
      and: { type: new GraphQLList(new GraphQLNonNull(type)), description: 'All must be true.' },
      or: { type: new GraphQLList(new GraphQLNonNull(type)), description: 'One must be true.' },
      not: { type, description: 'It must be false: also not unknown because of NULL.' },
    }),
  });
  return type;
});

function orderType(query: SavedQuery): GraphQLInputObjectType | undefined {
  const { order = [] } = query.rowArguments ?? {};
  if (order.length === 0) return undefined;
  return new GraphQLInputObjectType({
    name: `${pascalCase(query.name)}OrderBy`,
    description: `A column of ${query.name} with a direction.`,
    isOneOf: true,
    fields: Object.fromEntries(
      order.map(({ name, description }) => [camelCase(name), { type: rowOrder, description }]),
    ),
  });
}

type Values = Readonly<Record<string, unknown>>;

/** The arguments of a field of rows, as graphql-js has coerced them. @throws GatewayError INVALID_PARAMETER */
export function readRowArguments(
  query: SavedQuery,
  values: Values,
  reader = new ArgumentReader(query),
): RowArguments {
  const { where, orderBy, first, offset } = values;
  if (where == null && orderBy == null && first == null && offset == null) return allRows;
  const columns = columnsByField(query);
  return {
    where: where == null ? undefined : readCondition(reader, columns, where as Values, 0),
    orderBy: ((orderBy ?? []) as readonly Values[]).map((key) => readOrder(reader, columns, key)),
    offset: offset == null ? 0 : readCount('offset', String(offset)),
    first: first == null ? undefined : readCount('first', String(first)),
  };
}

type Columns = ReadonlyMap<string, Column>;

const columnsByField = memoize(
  ({ columns }: SavedQuery): Columns => new Map(columns.map((column) => [camelCase(column.name), column])),
);

function readCondition(reader: ArgumentReader, columns: Columns, where: Values, depth: number): Condition {
  const conditions = Object.entries(where).flatMap(([field, value]): readonly Condition[] => {
    if (field === 'and' || field === 'or' || field === 'not') {
      if (value === null) return [];
      reader.limitDepth(depth);
      const read = (inner: Values) => readCondition(reader, columns, inner, depth + 1);
      if (field === 'not') return [{ kind: field, condition: read(value as Values) }];
      return [reader.both(field, (value as readonly Values[]).map(read))];
    }
    if (value === null) throw isNullInstead(field);
    return readComparisons(reader, columns.get(field)?.name ?? field, field, value as Values);
  });
  const [only] = conditions;
  return only !== undefined && conditions.length === 1 ? only : reader.both('and', conditions);
}

function readComparisons(
  reader: ArgumentReader,
  column: string,
  field: string,
  comparisons: Values,
): readonly Condition[] {
  return Object.entries(comparisons).map(([operator, value]) => {
    if (value === null) throw isNullInstead(`${field}.${operator}`);
    const operands = Array.isArray(value) ? value.map(String) : [String(value)];
    return reader.comparison(column, operator as Operator, operands);
  });
}

const isNullInstead = (name: string) =>
  invalid(name, 'is null; leave it out, or compare with NULL by isNull: true');

function readOrder(reader: ArgumentReader, columns: Columns, key: Values): OrderKey {
  const [[field, word] = ['', '']] = Object.entries(key);
  const [direction, ...nulls] = String(word).split('_');
  const nullsFirst = nulls.length === 0 ? undefined : nulls[1] === 'FIRST';
  return reader.orderKey(columns.get(field)?.name ?? field, direction === 'DESC', nullsFirst);
}
