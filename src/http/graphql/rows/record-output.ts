import {
  type GraphQLLeafType,
  type GraphQLObjectType,
  getNamedType,
  isLeafType,
  isObjectType,
} from 'graphql';
import type { RecordField } from '../../../catalog/model/saved-query.ts';
import { graphqlNames } from '../../../names/graphql-names.ts';

/** The fields of a record as they are written, with its type. */
export interface RecordOutput {
  /** Unique in the process: a type of another version of the catalog has another one. */
  readonly id: number;
  readonly typeName: string;
  /** By the names of the fields in its type. */
  readonly fields: ReadonlyMap<string, FieldOutput>;
}

interface FieldOutput {
  readonly field: RecordField;
  readonly type: GraphQLLeafType | GraphQLObjectType;
}

/**
 * The output of a record's object type. It is made when an operation first selects the type, because most types of a
 * large catalog are never selected.
 */
export function recordOutput(type: GraphQLObjectType, fields: readonly RecordField[]): RecordOutput {
  const known = outputs.get(type);
  if (known !== undefined) return known;
  const definitions = type.getFields();
  const names = graphqlNames(fields);
  lastId += 1;
  const output = {
    id: lastId,
    typeName: type.name,
    fields: new Map(
      fields.map((field, at) => {
        const name = names[at] ?? '';
        return [name, { field, type: outputType(definitions[name]?.type) }] as const;
      }),
    ),
  };
  outputs.set(type, output);
  return output;
}

let lastId = 0;
const outputs = new WeakMap<GraphQLObjectType, RecordOutput>();

/** The type of a field's value, or of an element of it. */
export function outputType(type: Parameters<typeof getNamedType>[0]): GraphQLLeafType | GraphQLObjectType {
  const named = getNamedType(type);
  if (isLeafType(named) || isObjectType(named)) return named;
  throw new TypeError(`neither a leaf type nor an object type: ${String(type)}`);
}
