import { parseQuery, SyntaxProblem, walk } from '@querygate/bigquery-sql/syntax';
import { type ParameterType, sameName } from '@querygate/bigquery-sql/types';
import type { BoundQuery, BoundValue } from '../../../catalog/binding/bind.ts';
import type { Parameter } from '../../../catalog/model/saved-query.ts';

/**
 * SQL that means the same and whose parameters the emulator reads as BigQuery does: it takes the elements of every array for
 * STRING, a DATE and exact decimals for STRING, a DATETIME for TIMESTAMP, and a NULL for any type that fits each of its places (bigquery-emulator
 * 0.8.1, googlesqlite 0.3.1). BigQuery itself gets the text as it is written, because it prunes partitions by parameters, and
 * not by subqueries.
 */
export function emulatorSql(sql: string, { query, parameters: values }: BoundQuery): string {
  const misread = query.parameters.filter((parameter) => isMisread(parameter, values[parameter.name]));
  if (misread.length === 0) return sql;
  const edits: { readonly start: number; readonly end: number; readonly text: string }[] = [];
  try {
    walk(parseQuery(sql), (node) => {
      if (node.kind !== 'NamedParameter') return;
      const found = misread.find(({ name }) => sameName(name, node.name.name));
      if (found !== undefined) edits.push({ start: node.start, end: node.end, text: typedText(found) });
    });
  } catch (error) {
    // The emulator says what is wrong with it.
    if (error instanceof SyntaxProblem) return sql;
    throw error;
  }
  return edits
    .toSorted((a, b) => b.start - a.start)
    .reduce((text, { start, end, text: edit }) => text.slice(0, start) + edit + text.slice(end), sql);
}

const isMisread = ({ bind = 'STRING', repeated }: Parameter, value: BoundValue = ''): boolean =>
  bind !== 'STRING' && (repeated === true || value === '' || misreadTypes.has(bind));

const misreadTypes: ReadonlySet<ParameterType> = new Set(['DATE', 'DATETIME', 'NUMERIC', 'BIGNUMERIC']);

const typedText = ({ name, bind, repeated }: Parameter): string =>
  repeated
    ? `ARRAY(SELECT CAST(querygate_item AS ${bind}) FROM UNNEST(@${name}) AS querygate_item WITH OFFSET AS querygate_at ORDER BY querygate_at)`
    : `CAST(@${name} AS ${bind})`;
