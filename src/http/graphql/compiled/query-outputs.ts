import { type GraphQLLeafType, type GraphQLSchema, getNamedType, isObjectType } from 'graphql';
import { isNullableColumn } from '../../../catalog/model/null-values.ts';
import type { Catalog, Column, SavedQuery } from '../../../catalog/model/saved-query.ts';
import { publicNames } from '../../../catalog/model/versions.ts';
import { getOrAdd } from '../../../get-or-add.ts';
import { camelCase } from '../../../names/graphql-names.ts';
import type { QueryOutput, RecordColumn } from './compile-selection.ts';
import type { ColumnFormat } from './rows/cell-blocks.ts';
import { writerOf } from './rows/cell-writers.ts';
import { outputType } from './rows/record-output.ts';
import type { ColumnPlace } from './rows/rows-writer.ts';

/** What the root field of a saved query returns; undefined for any other field. */
export type QueryOutputs = (field: string) => QueryOutput | undefined;

/** Each is built from the schema that Yoga serves, the first time it is needed. */
export function queryOutputs(schema: GraphQLSchema, catalog: Catalog): QueryOutputs {
  const queries = new Map(publicNames(catalog).map(({ field, query }) => [field, query]));
  const built = new Map<string, QueryOutput>();
  return (field) => {
    const query = queries.get(field);
    return query && getOrAdd(built, field, () => outputOf(schema, field, query));
  };
}

function outputOf(schema: GraphQLSchema, field: string, query: SavedQuery): QueryOutput {
  const root = schema.getQueryType()?.getFields()[field];
  const resultType = objectType(root?.type);
  const rowType = objectType(resultType.getFields().rows?.type);
  const costType = objectType(resultType.getFields().cost?.type);
  const fields = rowType.getFields();
  const leaves: Leaf[] = [];
  const records = new Map<string, RecordColumn>();
  for (const column of query.columns) {
    const name = camelCase(column.name);
    const type = outputType(fields[name]?.type);
    if (isObjectType(type)) records.set(name, { column, type });
    else
      leaves.push({ name, column: column.name, write: writeColumn(column, type), isCheap: isCheap(column) });
  }
  const references = new Map(
    (query.federation?.references ?? []).flatMap((one) =>
      fields[one.field] === undefined ? [] : [[one.field, one]],
    ),
  );
  return { query, resultType, rowType, costType, columns: placesOf(leaves), records, references };
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

function objectType(type: Parameters<typeof getNamedType>[0]) {
  const named = getNamedType(type);
  if (isObjectType(named)) return named;
  throw new TypeError(`not an object type: ${String(type)}`);
}
