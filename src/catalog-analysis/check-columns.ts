import type { Compiled } from '@querygate/bigquery-sql/tree';
import { duckdbType, sameName } from '@querygate/bigquery-sql/types';
import { didYouMean, foldName } from '@querygate/text';
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
      // A column without a name is rather this one: its own message says which.
      if (returned.some((one, place) => isUnnamed(one) && declared[place] === column)) return [];
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
    ({ name }) => !declared.some((column) => isSameColumn(name, column.name)),
  );
  return [...differences, ...undeclaredMessages(undeclared, declared, returned)];
}

/** GoogleSQL's names for columns of a result that have none. */
const isUnnamed = ({ name }: ResultColumn): boolean => /^f\d+_$/.test(name);

function undeclaredMessages(
  undeclared: readonly ResultColumn[],
  declared: readonly Column[],
  returned: readonly ResultColumn[],
): readonly string[] {
  const unnamed = undeclared.filter(isUnnamed).map((column) => {
    const place = returned.indexOf(column);
    const meant = declared[place]?.name;
    const isFree = meant !== undefined && !returned.some(({ name }) => isSameColumn(name, meant));
    return `column ${place + 1} of the SQL has no name: write AS ${isFree ? meant : 'and a name'} after it`;
  });
  const [first, ...others] = undeclared.filter((column) => !isUnnamed(column)).map(({ name }) => name);
  if (first === undefined) return unnamed;
  const columns = others.length === 0 ? `a column ${first}` : `columns ${[first, ...others].join(', ')}`;
  const cure = others.length === 0 ? '' : '; select the declared ones by name, or declare the others';
  return [...unnamed, `the SQL returns ${columns} that the header does not declare under columns${cure}`];
}

/** Compares the columns that the header declares with those that a query returns, as far as their types are known. */
export const checkReturned =
  ({ columns: declared }: Pick<SavedQuery, 'columns'>) =>
  (returned: Compiled['columns']): readonly string[] => {
    const repeated = repeatedNames(returned);
    if (repeated.length > 0) return repeated;
    return checkColumns(
      declared,
      returned.map(({ column, type }) => {
        const known = resultColumnOf(column, type);
        return duckdbType(type) === undefined ? { ...known, type: undefined } : known;
      }),
    );
  };

/** The names that several columns of a result have, as messages: BigQuery refuses such a result. */
export function repeatedNames(returned: Compiled['columns']): readonly string[] {
  const named = returned.filter(({ except }) => except === undefined);
  return [...Map.groupBy(named, ({ name }) => foldName(name)).values()].flatMap(([, second]) =>
    second === undefined
      ? []
      : `two columns of the result are named ${second.name}: add AS and another name, or leave one out with EXCEPT`,
  );
}

/** True if a declared column, or a field, may hold the values of one of the result. */
export function accepts(declared: RecordField, { type, repeated }: ResultColumn): boolean {
  if (type === undefined) return true;
  if (declared.repeated !== repeated) return false;
  return declared.type === type || (declared.type === 'float' && type === 'integer');
}

/** Column names in SQL are case-insensitive. */
export function isSameColumn(a: string, b: string): boolean {
  return sameName(a, b);
}

/** Its type, for messages. */
export function describeColumn({ type, repeated }: Pick<ResultColumn, 'type' | 'repeated'>): string {
  return repeated ? `repeated ${type}` : String(type);
}
