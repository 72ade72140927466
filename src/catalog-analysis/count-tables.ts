import { type OutsideTable, outsideNames, parseQuery, SyntaxProblem } from '@querygate/bigquery-sql/syntax';
import type { SavedQuery } from '../catalog/model/saved-query.ts';
import { memoize } from '../memoize.ts';

/**
 * How many tables a query reads at most, in views and functions that are its parts, too; a caller's SQL over it reads no others.
 * A view that only BigQuery has counts as one. undefined if the text does not say it.
 */
export const countTables = (query: Pick<SavedQuery, 'sql'>): number | undefined => readTables(query)?.size;

/** The names of the tables that a query reads, each once; undefined if the text does not say it. */
export const readTables = (query: Pick<SavedQuery, 'sql'>): ReadonlySet<string> | undefined =>
  read(query).names;

const read = memoize(
  ({ sql }: Pick<SavedQuery, 'sql'>): { readonly names: ReadonlySet<string> | undefined } => {
    try {
      const { tables } = outsideNames(parseQuery(sql));
      if (tables.some(isUncountable)) return { names: undefined };
      return { names: new Set(tables.filter(({ node }) => node.kind === 'Table').map(nameOf)) };
    } catch (error) {
      if (error instanceof SyntaxProblem) return { names: undefined };
      throw error;
    }
  },
);

const nameOf = ({ path }: OutsideTable): string => path.parts.map(({ name }) => name).join('.');

/** A wildcard may find any number of tables; a table function reads its arguments, or tables that are not known. */
const isUncountable = (table: OutsideTable): boolean =>
  table.node.kind === 'TableFunction'
    ? !table.node.args.some(({ kind }) => kind === 'Table')
    : nameOf(table).endsWith('*');
