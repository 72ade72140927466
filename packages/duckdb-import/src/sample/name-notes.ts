import { isReserved } from '@querygate/bigquery-sql/syntax';
import { type Field, fieldsOfOnePath, pathInSql } from '@querygate/bigquery-sql/table-schema';
import { quoteShort } from '@querygate/text';

/** Notes on names of columns that SQL does not read as they are. */
export const nameNotes = (names: readonly string[]): readonly string[] =>
  names.flatMap((name) => {
    const impossible = impossibleNames([name]);
    if (impossible.length > 0) return impossible;
    if (reservedPrefix.test(name))
      return [`${JSON.stringify(name)} begins as columns of BigQuery's own do: rename it in the rows`];
    return /^[a-z_]\w*$/i.test(name) && !isReserved(name.toUpperCase())
      ? []
      : [`${JSON.stringify(name)} is written in backquotes in SQL: \`${name}\``];
  });

/** Notes on names that no field of BigQuery can have. */
export const impossibleNames = (names: readonly string[]): readonly string[] =>
  names.flatMap((name) => {
    if (name.length > maxNameLength)
      return [
        `${quoteShort(name)} has ${name.length} characters, and a column in BigQuery at most ${maxNameLength}: rename it in the rows`,
      ];
    return /[!"$()*,./;?@[\\\]^`{}~]|\p{Cc}/u.test(name)
      ? [`${JSON.stringify(name)} cannot be the name of a column in BigQuery: rename it in the rows`]
      : [];
  });

const maxNameLength = 300;

/** @see https://cloud.google.com/bigquery/docs/schemas#column_names */
const reservedPrefix =
  /^(?:_TABLE_|_FILE_|_PARTITION|_ROW_TIMESTAMP|__ROOT__|_COLIDENTIFIER|_CHANGE_(?:SEQUENCE_NUMBER|TYPE|TIMESTAMP))/i;

/** The fields without those whose name, which has dots, is the path of another one: a table stores one of them. */
export function withoutSecondPaths(fields: readonly Field[], notes: string[]): readonly Field[] {
  const dotted = fieldsOfOnePath(fields);
  for (const { path, other } of dotted)
    notes.push(
      `${pathInSql(path)} is left out: it has the path of ${pathInSql(other)}; rename it in the rows`,
    );
  return fields
    .filter((_, at) => dotted.every((one) => one.at !== at))
    .map((field) => (field.fields ? { ...field, fields: withoutSecondPaths(field.fields, notes) } : field));
}
