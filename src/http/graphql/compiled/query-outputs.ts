import { type GraphQLLeafType, type GraphQLSchema, getNamedType, isLeafType, isObjectType } from 'graphql';
import { camelCase } from '../../../catalog/names.ts';
import type { Catalog, Column, SavedQuery } from '../../../catalog/saved-query.ts';
import { publicNames } from '../../../catalog/versions/versions.ts';
import type { ColumnFormat, ColumnGroup } from './cell-blocks.ts';
import type { QueryOutput } from './compile-selection.ts';
import type { ColumnPlace } from './rows-writer.ts';

/** What each saved query's root field returns, by the field's name; built once from the schema that Yoga serves. */
export function queryOutputs(schema: GraphQLSchema, catalog: Catalog): ReadonlyMap<string, QueryOutput> {
  return new Map(publicNames(catalog).map(({ field, query }) => [field, outputOf(schema, field, query)]));
}

function outputOf(schema: GraphQLSchema, field: string, query: SavedQuery): QueryOutput {
  const root = schema.getQueryType()?.getFields()[field];
  const resultType = objectType(root?.type);
  const rowType = objectType(resultType.getFields().rows?.type);
  const costType = objectType(resultType.getFields().cost?.type);
  const fields = rowType.getFields();
  const formats = query.columns.map((column): ColumnFormat => {
    const name = camelCase(column.name);
    return { name, column, type: leafType(fields[name]?.type) };
  });
  return { query, resultType, rowType, costType, columns: placesOf(formats) };
}

/** Cheap columns are made together, for the rows are parsed once; each other column only when it is selected. */
function placesOf(formats: readonly ColumnFormat[]): ReadonlyMap<string, ColumnPlace> {
  const cheap: ColumnGroup = formats.filter(({ column }) => isCheap(column));
  return new Map(
    formats.map((format): [string, ColumnPlace] => {
      const at = cheap.indexOf(format);
      return [format.name, at < 0 ? { group: [format], at: 0 } : { group: cheap, at }];
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

function leafType(type: Parameters<typeof getNamedType>[0]): GraphQLLeafType {
  const named = getNamedType(type);
  if (isLeafType(named)) return named;
  throw new TypeError(`not a leaf type: ${String(type)}`);
}
