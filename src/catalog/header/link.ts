import type { TypedParameter } from '@querygate/bigquery-sql/types';
import type { Problem } from '../../errors.ts';
import type { SavedQuery } from '../model/saved-query.ts';
import type { HeaderAndSql } from './split-file.ts';

/** The SQL of a saved query with all that it reads of other files. */
export interface LinkedSql
  extends Pick<
    SavedQuery,
    'sql' | 'source' | 'hiddenTables' | 'materializedTables' | 'listedViews' | 'definitions'
  > {
  /** The parameters that its parts use, by the names under which it declares them. */
  readonly passed: readonly string[];
  /** Why it cannot be put together: its SQL is then as its file has it. */
  readonly problems: readonly Problem[];
}

/** The file of a saved query, and its parts. */
export interface QueryFile extends HeaderAndSql {
  readonly name: string;
  readonly file: string;
  readonly text: string;
}

/** Puts the SQL of a saved query together with the queries, views and functions that it reads. */
export type Link = (query: QueryFile) => LinkedSql;

/** SQL as its file has it. */
export const unlinked: Link = ({ file, sql, sqlLine }) => ({
  sql,
  source: { file, line: sqlLine },
  passed: [],
  problems: [],
});

/** SQL without a header, as if one declared the types of its parameters. @param line of its first character */
export const headerless = (
  sql: string,
  line: number,
  parameters: readonly TypedParameter[],
): HeaderAndSql => ({
  header: { parameters: Object.fromEntries(parameters.map(declared)) },
  sql,
  sqlLine: line,
  lineOf: () => line,
});

const declared = ({ name, bind = 'STRING', repeated = false }: TypedParameter) =>
  [name, { type: 'string', description: 'Given.', bind, repeated }] as const;
