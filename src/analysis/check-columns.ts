import { didYouMean } from '@querygate/bigquery-sql/text';
import type { Compiled } from '@querygate/bigquery-sql/tree';
import { duckdbType } from '@querygate/bigquery-sql/types';
import type { ResultColumn } from '../catalog/model/header-types.ts';
import type { Column, RecordField, SavedQuery } from '../catalog/model/saved-query.ts';
import { resultColumnOf } from './result-column-of.ts';

/** Every difference between the columns that a header declares and those that the SQL returns, as messages. */
export function checkColumns(
  declared: readonly Column[],
  returned: readonly ResultColumn[],
): readonly string[] {
  const differences = declared.flatMap((column) => {
    const found = returned.find(({ name }) => isSameColumn(name, column.name));
    if (found === undefined) {
      const names = returned.map(({ name }) => name);
      const hint = didYouMean(column.name, names);
      return [`columns.${column.name}: declared, but the SQL returns no such column${hint}`];
    }
    if (accepts(column, found)) return [];
    return [
      `columns.${column.name}: declared ${describeColumn(column)}, but the SQL returns ${describeColumn(found)}`,
    ];
  });
  const undeclared = returned.filter(
    ({ name }) => !declared.some((column) => isSameColumn(column.name, name)),
  );
  return [
    ...differences,
    ...undeclared.map(
      ({ name }) => `the SQL returns a column ${name} that the header does not declare under columns`,
    ),
  ];
}

/** Compares the columns that the header declares with those that a query returns, as far as their types are known. */
export const checkReturned =
  ({ columns: declared }: SavedQuery) =>
  (returned: Compiled['columns']): readonly string[] =>
    checkColumns(
      declared,
      returned.map(({ column, type }) => {
        const known = resultColumnOf(column, type);
        return duckdbType(type) === undefined ? { ...known, type: undefined } : known;
      }),
    );

/** Whether a declared column, or a field, may hold the values of one of the result. */
export function accepts(declared: RecordField, { type, repeated }: ResultColumn): boolean {
  if (type === undefined) return true;
  if (declared.repeated !== repeated) return false;
  return declared.type === type || (declared.type === 'float' && type === 'integer');
}

/** Column names in SQL are case-insensitive. */
export function isSameColumn(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

/** Its type, for messages. */
export function describeColumn({ type, repeated }: Pick<ResultColumn, 'type' | 'repeated'>): string {
  return repeated ? `repeated ${type}` : String(type);
}
