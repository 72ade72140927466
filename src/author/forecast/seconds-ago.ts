import { sameName } from '@querygate/bigquery-sql/types';
import { type Syntax, walk } from '@querygate/bigquery-sql/syntax';
import type { ParameterText, SavedQuery } from '../../catalog/model/saved-query.ts';
import type { ConstantText } from './partition-bounds.ts';

/** How long before the current time a constant is, in seconds; undefined if that is not known. */
export type SecondsAgo = (
  constant: ConstantText,
  query: SavedQuery,
  values: Readonly<Record<string, ParameterText>>,
) => Promise<number | undefined>;

/** A Monday, the first of a month, at midnight: nothing is cut off to the begin of a day, of a week or of a month. */
const roundMoment = new Date('2026-06-01T00:00:00Z');

/** Computes constants on DuckDB. @returns undefined if it is not installed */
export async function openSecondsAgo(): Promise<SecondsAgo | undefined> {
  const opened = await openSessionAt().catch(() => undefined);
  if (opened === undefined) return undefined;
  return async (constant, query, values) => {
    const text = withValues(constant, query, values);
    if (text === undefined) return undefined;
    const isRelative = /\bcurrent_(?:timestamp|date|datetime)\b/i.test(text);
    const now = isRelative ? 'CURRENT_TIMESTAMP()' : `TIMESTAMP '${new Date().toISOString()}'`;
    const outcome = await opened.run(`SELECT TIMESTAMP_DIFF(${now}, TIMESTAMP(${text}), SECOND)`);
    const seconds = 'rows' in outcome ? Number(outcome.rows[0]?.[0]) : Number.NaN;
    return Number.isFinite(seconds) ? seconds : undefined;
  };
}

async function openSessionAt() {
  const { DuckDBInstance } = await import('@duckdb/node-api');
  const { openSession } = await import('@querygate/bigquery-sql');
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  return openSession(connection, { tables: [], now: () => roundMoment });
}

/** The text with values in place of parameters; undefined with a list. */
function withValues(
  { expression, sql }: ConstantText,
  query: SavedQuery,
  values: Readonly<Record<string, ParameterText>>,
): string | undefined {
  const places: Syntax.NamedParameter[] = [];
  walk(expression, (node) => {
    if (node.kind === 'NamedParameter') places.push(node);
  });
  let text = '';
  let from = expression.start;
  for (const { name, start, end } of places) {
    const parameter = query.parameters.find((one) => sameName(one.name, name.name));
    const value = values[parameter?.name ?? ''];
    if (parameter === undefined || typeof value !== 'string') return undefined;
    const { bind = 'STRING' } = parameter;
    const literal = bind !== 'STRING' && value === '' ? 'NULL' : JSON.stringify(value);
    text += `${sql.slice(from, start)}CAST(${literal} AS ${bind})`;
    from = end;
  }
  return text + sql.slice(from, expression.end);
}
