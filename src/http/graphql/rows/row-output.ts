import { type GraphQLLeafType, type GraphQLObjectType, isObjectType } from 'graphql';
import { isNullableColumn } from '../../../catalog/model/null-values.ts';
import type { Column, SavedQuery } from '../../../catalog/model/saved-query.ts';
import { getOrAdd } from '../../../get-or-add.ts';
import { camelCase } from '../../../names/graphql-names.ts';
import type { ColumnFormat } from './cell-blocks.ts';
import { writerOf } from './cell-writers.ts';
import { outputType } from './record-output.ts';
import { keyOfObject, type RowObject } from './row-object.ts';
import type { ColumnPlace } from './rows-writer.ts';

/** The fields of a saved query's rows as they are written, with their type. */
export interface RowOutput {
  readonly typeName: string;
  /** By the name of the field in the row type. */
  readonly columns: ReadonlyMap<string, ColumnPlace>;
  /** The columns that have selections, in the same way. */
  readonly records: ReadonlyMap<string, RecordColumn>;
  /** The objects that some columns identify, in the same way. */
  readonly objects: ReadonlyMap<string, RowObject>;
}

/** A column that is a record with known fields, or a list of such records. */
interface RecordColumn {
  readonly column: Column;
  readonly type: GraphQLObjectType;
}

const outputs = new WeakMap<GraphQLObjectType, RowOutput>();

/** Made when an operation first selects rows of the query. */
export const rowOutput = (query: SavedQuery, row: GraphQLObjectType): RowOutput =>
  getOrAdd(outputs, row, () => buildRowOutput(query, row));

function buildRowOutput(query: SavedQuery, row: GraphQLObjectType): RowOutput {
  const fields = row.getFields();
  const leaves: Leaf[] = [];
  const records = new Map<string, RecordColumn>();
  for (const column of query.columns) {
    const name = camelCase(column.name);
    const type = outputType(fields[name]?.type);
    if (isObjectType(type)) records.set(name, { column, type });
    else
      leaves.push({ name, column: column.name, write: writeColumn(column, type), isCheap: isCheap(column) });
  }
  const objects = new Map(
    Object.values(fields).flatMap(({ name, type, extensions }): [string, RowObject][] => {
      const key = keyOfObject(extensions);
      return key === undefined ? [] : [[name, { typeName: String(type), key }]];
    }),
  );
  return { typeName: row.name, columns: placesOf(leaves), records, objects };
}

const writeColumn = (column: Column, leaf: GraphQLLeafType) =>
  writerOf({ ...column, required: !isNullableColumn(column) }, leaf);

interface Leaf extends ColumnFormat {
  readonly isCheap: boolean;
}

/** Cheap columns are made together, for the rows are parsed once; each other column only when it is selected. */
function placesOf(leaves: readonly Leaf[]): ReadonlyMap<string, ColumnPlace> {
  const cheap: readonly Leaf[] = leaves.filter((leaf) => leaf.isCheap);
  return new Map(
    leaves.map((leaf): [string, ColumnPlace] => {
      const at = cheap.indexOf(leaf);
      return [leaf.name, at < 0 ? { group: [leaf], at: 0 } : { group: cheap, at }];
    }),
  );
}

/** Records and JSON may be most of a document. */
const isCheap = ({ type, repeated }: Column): boolean => !repeated && type !== 'record' && type !== 'json';
