import {
  GraphQLBoolean,
  GraphQLEnumType,
  GraphQLInputObjectType,
  GraphQLList,
  GraphQLNonNull,
  type GraphQLScalarType,
} from 'graphql';
import type { Column } from '../../../../catalog/model/saved-query.ts';
import { scalars } from '../shared-types.ts';

/** The words of an order. NULL is where BigQuery has it unless the word says where. */
export const rowOrder = new GraphQLEnumType({
  name: 'RowOrder',
  description: 'The direction of an order.',
  values: {
    ASC: { description: 'Ascending, NULL first.' },
    DESC: { description: 'Descending, NULL last.' },
    ASC_NULLS_LAST: { description: 'Ascending, NULL last.' },
    DESC_NULLS_FIRST: { description: 'Descending, NULL first.' },
  },
});

const comparisons: Partial<Record<Column['type'], GraphQLInputObjectType>> = {
  string: comparison('String', scalars.String, {
    like: {
      type: scalars.String,
      description: 'A pattern: % is any text, _ any character; \\ before them takes that meaning from them.',
    },
  }),
  integer: comparison('Integer', scalars.SafeInt),
  float: comparison('Float', scalars.Float),
  numeric: comparison('Decimal', scalars.String, {}, ' The value is exact decimal text.'),
  boolean: comparison('Boolean', scalars.Boolean),
  timestamp: comparison('Timestamp', scalars.DateTime),
  datetime: comparison('Datetime', scalars.LocalDateTime),
  date: comparison('Date', scalars.Date),
  time: comparison('Time', scalars.String, {}, ' The value is a time of day as HH:MM:SS.'),
  bytes: comparison('Bytes', scalars.String, {}, ' The value is Base64.'),
};

/** The input type of comparisons with columns of a type. @throws TypeError for a type without order */
export function comparisonType(type: Column['type']): GraphQLInputObjectType {
  const input = comparisons[type];
  if (input === undefined) throw new TypeError(`values of type ${type} are not compared`);
  return input;
}

function comparison(
  name: string,
  scalar: GraphQLScalarType,
  more: Readonly<Record<string, { readonly type: GraphQLScalarType; readonly description: string }>> = {},
  hint = '',
): GraphQLInputObjectType {
  const field = (description: string) => ({ type: scalar, description });
  return new GraphQLInputObjectType({
    name: `${name}Comparison`,
    description: `Compares a column; several comparisons must all be true. As in SQL, a comparison with NULL is not true.${hint}`,
    fields: {
      eq: field('Equal.'),
      ne: field('Not equal, and not NULL.'),
      lt: field('Less.'),
      lte: field('Less or equal.'),
      gt: field('Greater.'),
      gte: field('Greater or equal.'),
      in: { type: new GraphQLList(new GraphQLNonNull(scalar)), description: 'Equal to one of the list.' },
      ...more,
      isNull: { type: GraphQLBoolean, description: 'Whether it is NULL.' },
    },
  });
}
