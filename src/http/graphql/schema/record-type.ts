import { type GraphQLFieldConfig, GraphQLList, GraphQLNonNull } from 'graphql';
import { isNullableField } from '../../../catalog/model/null-values.ts';
import type { RecordField } from '../../../catalog/model/saved-query.ts';
import { graphqlNames, isRenamed } from '../../../names/graphql-names.ts';
import type { Context } from '../context.ts';
import { cellExtension } from '../rows/field-extensions.ts';
import { outputValue } from '../rows/output-values.ts';
import { describeField, scalarOf } from './field-type.ts';
import { objectType } from './object-type.ts';
import { scalars } from './shared-types.ts';

/** A parsed record. */
type RecordValue = Readonly<Record<string, unknown>>;

/** Where a column or a field is. */
interface Place {
  /** Of its type if it is a record: that of the type around it and its own in GraphQL, joined by `_`, as no other type is. */
  readonly typeName: string;
  /** For descriptions: the columns and fields that lead to it, joined by dots. */
  readonly path: string;
  readonly query: string;
}

/**
 * The field that shows a column, or a field in a record. BigQuery's lists have no NULL; DuckDB's may have, and NaN is null.
 *
 * @param one the column; required if it is never null in JSON
 */
export function cellField<Source>(
  place: Place,
  one: RecordField,
  description: string,
  resolve: (source: Source) => unknown,
): GraphQLFieldConfig<Source, Context> {
  const { type, fields, repeated, required } = one;
  const element =
    type === 'record' && fields !== undefined ? recordType(place, fields) : scalars[scalarOf[type]];
  // A list of free records is one JSON value.
  const listed = repeated && (type !== 'record' || fields !== undefined) ? new GraphQLList(element) : element;
  return {
    type: required ? new GraphQLNonNull(listed) : listed,
    description,
    resolve,
    extensions: cellExtension({ field: one, type: element }),
  };
}

function recordType({ typeName, path, query }: Place, fields: readonly RecordField[]) {
  const names = graphqlNames(fields);
  return objectType<RecordValue>({
    name: typeName,
    description: `The record ${path} in a row of ${query}.`,
    fields: Object.fromEntries(
      fields.map((field, at): [string, GraphQLFieldConfig<RecordValue, Context>] => {
        const graphqlName = names[at] ?? '';
        const place = { typeName: `${typeName}_${graphqlName}`, path: `${path}.${field.name}`, query };
        const description = describe(field, graphqlName) || `${place.path}.`;
        const one = { ...field, required: !isNullableField(field) };
        return [graphqlName, cellField(place, one, description, (values) => fieldValue(field, values))];
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
