import type { GraphQLLeafType, GraphQLObjectType } from 'graphql';
import type { ColumnKeyField } from '../../../catalog/model/entity-keys.ts';
import type { RecordField } from '../../../catalog/model/saved-query.ts';

/** A column, or a field in a record, as a field of an object type shows it. */
export interface Cell {
  /** Required if it is never null in JSON. */
  readonly field: RecordField;
  /** The type of its value, or of an element of it. */
  readonly type: GraphQLLeafType | GraphQLObjectType;
}

const cellKey = 'cell';

/** The extension of the field that shows it. */
export const cellExtension = (cell: Cell) => ({ [cellKey]: cell });

/** The cell that a field shows; undefined for other fields. */
export const cellOf = (extensions: Readonly<Record<string, unknown>> = {}) =>
  extensions[cellKey] as Cell | undefined;

const keyName = 'key';

/** The extension of a field of rows that is an object, which some of their columns identify. */
export const keyExtension = (key: readonly ColumnKeyField[]) => ({ [keyName]: key });

/** The columns that identify the object of a field; undefined for other fields. */
export const keyOfObject = (extensions: Readonly<Record<string, unknown>> = {}) =>
  extensions[keyName] as readonly ColumnKeyField[] | undefined;
