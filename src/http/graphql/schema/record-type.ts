import {
  type GraphQLFieldConfig,
  GraphQLList,
  GraphQLNonNull,
  type GraphQLObjectType,
  type GraphQLScalarType,
} from 'graphql';
import { isNullableField } from '../../../catalog/model/null-values.ts';
import type { RecordField } from '../../../catalog/model/saved-query.ts';
import { graphqlNames, isRenamed } from '../../../names/graphql-names.ts';
import type { Context } from '../context.ts';
import { outputValue } from '../rows/output-values.ts';
import { describeField, scalarOf } from './field-type.ts';
import { objectType } from './object-type.ts';
import { scalars } from './shared-types.ts';

/** A parsed record. */
type RecordValue = Readonly<Record<string, unknown>>;

/** A type without its being required. */
type NullableType = ElementType | GraphQLList<ElementType>;

type ElementType = GraphQLScalarType | GraphQLObjectType<RecordValue, Context>;

/** Where a column or a field is. */
interface Place {
  /**
   * Of its type if it is a record: the name of the type around it and its own name in GraphQL, with `_` between them, as no
   * other type is named.
   */
  readonly typeName: string;
  /** For descriptions: the columns and fields that lead to it, joined by dots. */
  readonly path: string;
  readonly query: string;
}

/** The type of a column, or of a field in a record. BigQuery's lists have no NULL; DuckDB's may have, and NaN is null. */
export function fieldType(place: Place, { type, fields, repeated }: RecordField): NullableType {
  const isObject = type === 'record' && fields !== undefined;
  // A list of free records is one JSON value.
  if (type === 'record' && !isObject) return scalars[scalarOf.record];
  const element = isObject ? recordType(place, fields) : scalars[scalarOf[type]];
  return repeated ? new GraphQLList(element) : element;
}

function recordType({ typeName, path, query }: Place, fields: readonly RecordField[]): ElementType {
  const names = graphqlNames(fields);
  return objectType<RecordValue>({
    name: typeName,
    description: `The record ${path} in a row of ${query}.`,
    fields: Object.fromEntries(
      fields.map((field, at): [string, GraphQLFieldConfig<RecordValue, Context>] => {
        const graphqlName = names[at] ?? '';
        const place = { typeName: `${typeName}_${graphqlName}`, path: `${path}.${field.name}`, query };
        const type = fieldType(place, field);
        return [
          graphqlName,
          {
            type: isNullableField(field) ? type : new GraphQLNonNull(type),
            description: describe(field, graphqlName) || `${place.path}.`,
            resolve: (values) => fieldValue(field, values),
          },
        ];
      }),
    ),
  });
}

function describe(field: RecordField, graphqlName: string): string {
  const inRest = isRenamed(field.name, graphqlName) ? `In REST: ${JSON.stringify(field.name)}.` : '';
  return [describeField(field), inRest].filter(Boolean).join(' ');
}

/** A list that a record does not have is empty. */
function fieldValue(field: RecordField, values: RecordValue): unknown {
  const value = Object.hasOwn(values, field.name) ? values[field.name] : undefined;
  return field.repeated && (value === undefined || value === null) ? [] : outputValue(field, value);
}
