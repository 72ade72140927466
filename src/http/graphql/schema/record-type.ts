import { ListRef, type OutputType } from '@pothos/core';
import { graphqlNames, isRenamed } from '../../../catalog/graphql-fields.ts';
import type { RecordField } from '../../../catalog/saved-query.ts';
import type { Builder, SchemaTypes } from './builder.ts';
import { describeField, outputValue, scalarOf } from './field-type.ts';

/** A parsed record. */
type RecordValue = Readonly<Record<string, unknown>>;

type Types = PothosSchemaTypes.ExtendDefaultTypes<SchemaTypes>;
type TypeRef = OutputType<Types>;

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
export function fieldType(builder: Builder, place: Place, { type, fields, repeated }: RecordField): TypeRef {
  const isObject = type === 'record' && fields !== undefined;
  // A list of free records is one JSON value.
  if (type === 'record' && !isObject) return scalarOf.record;
  const element = isObject ? addRecordType(builder, place, fields) : scalarOf[type];
  return repeated ? new ListRef<Types, readonly unknown[]>(element, true) : element;
}

function addRecordType(
  builder: Builder,
  { typeName, path, query }: Place,
  fields: readonly RecordField[],
): TypeRef {
  const names = graphqlNames(fields);
  return builder.objectRef<RecordValue>(typeName).implement({
    description: `The record ${path} in a row of ${query}.`,
    fields: (t) =>
      Object.fromEntries(
        fields.map((field, at) => {
          const graphqlName = names[at] ?? '';
          const place = {
            typeName: `${typeName}_${graphqlName}`,
            path: `${path}.${field.name}`,
            query,
          };
          return [
            graphqlName,
            t.field({
              type: fieldType(builder, place, field),
              nullable: !field.required,
              description: describe(field, graphqlName) || `${place.path}.`,
              resolve: (values: RecordValue) => fieldValue(field, values) as never,
            }),
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
