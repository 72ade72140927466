import type { Sandbox } from '@querygate/bigquery-sql/sandbox';
import { describeType } from '@querygate/bigquery-sql/types';
import { memoize } from '../../../memoize.ts';

/** A common table of a saved query, as SQL of callers reads it. */
export interface SqlTable {
  readonly name: string;
  readonly columns: readonly { readonly name: string; readonly type: string }[];
}

/** The tables of a sandbox with their columns. Each is compiled, once. */
export const sqlTables = memoize((sandbox: Sandbox): readonly SqlTable[] =>
  sandbox.tables.map((name) => ({
    name,
    columns: sandbox
      .readAll(name)
      .columns.map(({ name: column, type }) => ({ name: column, type: describeType(type) })),
  })),
);
