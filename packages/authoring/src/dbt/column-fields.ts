import { sameName } from '@querygate/bigquery-sql/types';
import { foldName, shorten } from '@querygate/text';
import type { DeclaredField } from 'querygate/catalog';
import { type ColumnType, parseColumnType } from './column-type.ts';
import type { DbtColumn } from './manifest.ts';

/** The fields of a table, as far as its columns have types. */
export interface TypedFields {
  readonly fields: readonly DeclaredField[];
  /** The columns without a type. */
  readonly untyped: readonly string[];
  readonly problems: readonly string[];
}

/** A column with those that are fields of it: `address` with `address.city`. */
interface NestedColumn {
  readonly name: string;
  /** As dbt names it. */
  readonly path: string;
  own?: DbtColumn;
  readonly inner: Map<string, NestedColumn>;
}

/** As on BigQuery. */
const maxDepth = 15;

/** The fields for the file of a table, by the columns that dbt describes. */
export function fieldsOfColumns(columns: readonly DbtColumn[]): TypedFields {
  const root = new Map<string, NestedColumn>();
  const untyped: string[] = [];
  const problems: string[] = [];
  for (const column of columns) {
    const names = column.name.split('.');
    if (names.length > maxDepth) {
      problems.push(`${shorten(column.name)}: records are at most ${maxDepth} levels deep`);
      continue;
    }
    let level = root;
    let nested: NestedColumn | undefined;
    for (const name of names) {
      const path = nested === undefined ? name : `${nested.path}.${name}`;
      const known = level.get(foldName(name));
      nested = known ?? { name, path, inner: new Map() };
      level.set(foldName(name), nested);
      level = nested.inner;
    }
    if (nested !== undefined) nested.own = column;
  }
  const fields = fieldsIn(root, untyped, problems);
  return { fields, untyped, problems };
}

function fieldsIn(
  columns: ReadonlyMap<string, NestedColumn>,
  untyped: string[],
  problems: string[],
  listed: readonly DeclaredField[] = [],
): readonly DeclaredField[] {
  return [...columns.values()].flatMap(({ name, path, own, inner }): DeclaredField[] => {
    const known = own?.dataType === undefined && listed.find((one) => isNamed(one, name));
    const type = known || typeOf(own?.dataType, inner.size > 0);
    if (type === undefined) {
      if (own?.dataType === undefined) untyped.push(path);
      else problems.push(`${path}: ${JSON.stringify(own.dataType)} is not a type of BigQuery's columns`);
      return [];
    }
    const [field] = inner.values();
    if (type.fields === undefined && field)
      problems.push(
        `${path}: ${JSON.stringify(own?.dataType ?? type.type)} has no fields, but ${field.path} is described`,
      );
    const fields = type.fields && mergeFields(type.fields, fieldsIn(inner, untyped, problems, type.fields));
    // A record of which no field has a type.
    if (fields?.length === 0) {
      untyped.push(path);
      return [];
    }
    const { description } = own ?? {};
    return [{ name, ...type, ...(description && { description }), ...(fields && { fields }) }];
  });
}

function typeOf(dataType: string | undefined, hasFields: boolean): ColumnType | undefined {
  if (dataType !== undefined) return parseColumnType(dataType);
  return hasFields ? { type: 'RECORD', mode: 'NULLABLE', fields: [] } : undefined;
}

/** The fields that a type lists, with what columns of their own say of them. */
function mergeFields(
  listed: readonly DeclaredField[],
  described: readonly DeclaredField[],
): readonly DeclaredField[] {
  return [
    ...listed.map((field) => described.find((one) => isNamed(one, field.name)) ?? field),
    ...described.filter((field) => !listed.some((one) => isNamed(one, field.name))),
  ];
}

const isNamed = (field: DeclaredField, name: string) => sameName(field.name, name);
