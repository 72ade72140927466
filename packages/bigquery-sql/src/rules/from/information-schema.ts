import { foldName } from '@querygate/text';
import type { Path } from '../../syntax/nodes.ts';
import { call, column, operation, select, textLiteral } from '../../tree/build.ts';
import type { StoredTable } from '../../tree/stored-table.ts';
import { sameName } from '../../types.ts';
import { findViews, outermost, type Relation, type Scope } from '../scope.ts';
import { type DescribedTable, informationSchema, storedViews, viewName } from './described-tables.ts';
import { openRelation, tableRelations } from './table-relations.ts';

/** True for `INFORMATION_SCHEMA.TABLES`, with a data set, a project or a region before it. */
export const isInformationSchema = ({ parts }: Path): boolean =>
  parts.slice(0, -1).some(({ name }) => sameName(name, informationSchema));

/** The lower-cased name that a view has in its schema. */
export const nameOfView = (name: string): string => foldName(name.slice(viewName('').length));

/** The relations of some views, by the lower-cased names that they have in their schema. */
export const viewRelations = (views: readonly StoredTable[]): ReadonlyMap<string, Relation> =>
  new Map(
    [...tableRelations(views)].map(([name, relation]) => [nameOfView(name), { ...relation, isTable: false }]),
  );

/** The views of the tables that a query may read, and of others. */
export const viewsOf = (
  tables: readonly StoredTable[],
  others: () => readonly DescribedTable[],
): ReadonlyMap<string, Relation> => viewRelations(storedViews(tables, others));

/** A query as the views describe it: a common table, to those who can read nothing else, or a view. */
export function describeRelation(
  name: string,
  { columns, isValue }: Pick<Relation, 'columns' | 'isValue'>,
): DescribedTable {
  const [value] = columns;
  const fields = isValue && value?.type.kind === 'struct' ? value.type.fields : undefined;
  const named = columns.filter(({ isAnonymous, isPseudo }) => !isAnonymous && !isPseudo);
  return {
    name,
    kind: 'VIEW',
    columns: (fields ?? named).map((column) => ({
      name: column.name,
      type: column.type,
      isNullable: column.type.kind !== 'array' && !('required' in column && column.required),
    })),
  };
}

/** The view that a path names; undefined: there is no such view. */
export function informationRelation(path: Path, scope: Scope): Relation | undefined {
  const { parts } = path;
  const view = parts.at(-1)?.name ?? '';
  if (outermost(scope).hasOpenTables) return openRelation(viewName(view));
  if (!sameName(parts.at(-2)?.name ?? '', informationSchema)) return undefined;
  const relation = findViews(scope).get(foldName(view));
  return relation && ofDataSet(relation, path);
}

/**
 * A view whose rows name the project and the data set of a path, without those of others. Tables have neither: they are in
 * any data set.
 */
function ofDataSet(relation: Relation, { parts }: Path): Relation {
  const names = parts.slice(0, -2).map(({ name }) => name);
  const last = names.at(-1) ?? '';
  const isRegion = /^region-/i.test(last);
  const values = Object.entries({
    table_catalog: names.slice(0, -1).join('.'),
    table_schema: isRegion ? '' : last,
  }).filter(([, value]) => value !== '');
  if (values.length === 0) return relation;
  const named = new Map(values);
  return {
    ...relation,
    from(alias, start, fresh) {
      const inner = fresh(alias);
      const columns = relation.columns.map(({ name, column: own, type }) => {
        const value = named.get(name);
        return { name: own, value: value === undefined ? column(inner, own, type) : textLiteral(value) };
      });
      const where = relation.columns.flatMap(({ name, column: own, type }) => {
        const value = named.get(name)?.toLowerCase();
        const ofRow = call('lower', [column(inner, own, type)], type);
        return value === undefined ? [] : [operation('IN', [ofRow, textLiteral(''), textLiteral(value)])];
      });
      return {
        kind: 'derived',
        alias,
        query: select({ columns, from: relation.from(inner, start, fresh), where }),
      };
    },
  };
}

/** Why a path names no view. */
export function noView({ parts }: Path, scope: Scope): string {
  const at = parts.findIndex(({ name }) => sameName(name, informationSchema));
  const shown = parts.slice(at).map(({ name }, index) => (index === 0 ? informationSchema : name));
  const views = [...findViews(scope).keys()].map((name) => name.toUpperCase()).sort();
  return `${shown.join('.')} is not supported${views.length === 0 ? '' : `; its views here are ${views.join(', ')}`}`;
}
