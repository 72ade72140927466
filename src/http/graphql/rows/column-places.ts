import { type GraphQLObjectType, isObjectType } from 'graphql';
import type { RecordField } from '../../../catalog/model/saved-query.ts';
import { memoize } from '../../../memoize.ts';
import { cellOf } from './field-extensions.ts';
import type { ColumnFormat } from './cell-blocks.ts';
import { writerOf } from './cell-writers.ts';
import type { ColumnPlace } from './rows-writer.ts';

interface Leaf extends ColumnFormat {
  readonly isCheap: boolean;
}

/**
 * Where the cells of columns without selections are, by the names of their fields in a type of rows. Cheap columns are made
 * together, for the rows are parsed once; each other column only when it is selected.
 */
export const columnPlaces = memoize((row: GraphQLObjectType): ReadonlyMap<string, ColumnPlace> => {
  const leaves = Object.values(row.getFields()).flatMap(({ name, extensions }): Leaf[] => {
    const cell = cellOf(extensions);
    if (cell === undefined || isObjectType(cell.type)) return [];
    const { field, type } = cell;
    return [{ name, column: field.name, write: writerOf(field, type), isCheap: isCheap(field) }];
  });
  const cheap: readonly Leaf[] = leaves.filter((leaf) => leaf.isCheap);
  return new Map(
    leaves.map((leaf) => [
      leaf.name,
      leaf.isCheap ? { group: cheap, at: cheap.indexOf(leaf) } : { group: [leaf], at: 0 },
    ]),
  );
});

/** Records and JSON may be most of a document. */
const isCheap = ({ type, repeated }: RecordField): boolean =>
  !repeated && type !== 'record' && type !== 'json';
