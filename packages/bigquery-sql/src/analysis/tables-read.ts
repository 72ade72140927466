import { type OutsideTable, outsideNames } from '../syntax/outside-names.ts';
import { parseQuery } from '../syntax/parse-query.ts';
import { SyntaxProblem } from '../syntax/syntax-problem.ts';

/**
 * The names of the tables that a query reads, as it writes them, each once; undefined if the text does not say it: a wildcard may
 * find any number of tables.
 */
export function tablesRead(sql: string): ReadonlySet<string> | undefined {
  try {
    const { tables } = outsideNames(parseQuery(sql));
    if (tables.some(isOpen)) return undefined;
    return new Set(tables.filter(({ node }) => node.kind === 'Table').map(nameOf));
  } catch (error) {
    if (error instanceof SyntaxProblem) return undefined;
    throw error;
  }
}

const nameOf = ({ path }: OutsideTable): string => path.parts.map(({ name }) => name).join('.');

/** A table function reads its arguments; without any, tables that are not known. */
const isOpen = (table: OutsideTable): boolean =>
  table.node.kind === 'TableFunction'
    ? !table.node.args.some(({ kind }) => kind === 'Table')
    : nameOf(table).endsWith('*');
