import type * as Syntax from '../../../syntax/nodes.ts';
import { parseQuery } from '../../../syntax/parse-query.ts';
import { walk } from '../../../syntax/walk.ts';
import type { Member } from '../../../tree/nodes.ts';
import { withTables } from '../../../tree/with-tables.ts';
import type { Context, ResolvedFrom } from '../../context.ts';
import { emptyScope, type Scope } from '../../scope.ts';
import { derivedFrom } from '../derived.ts';
import type { Input } from './input.ts';

/**
 * The rows of a table function, whose meaning is said in GoogleSQL.
 *
 * @param sql reads the common table `input`; it has no word of the author's
 * @param values what it may name besides the columns of `input`
 * @param names those of its columns, as readers know them
 */
export function expand(
  call: Syntax.TableFunction,
  sql: string,
  input: Input,
  { values, names }: { readonly values: readonly Member[]; readonly names: readonly string[] },
  context: Context,
): ResolvedFrom {
  const table = context.fresh('input');
  const columns = input.columns.map(({ own, type }) => ({ name: own, column: own, type }));
  const scope: Scope = {
    ...emptyScope,
    parent: { ...emptyScope, ranges: [{ name: undefined, columns: values }] },
    relations: new Map([
      ['input', { columns, from: (alias: string) => ({ kind: 'reference', alias, name: table }) }],
    ]),
  };
  const resolved = context.query(queryAt(call, sql), scope);
  const renamed = resolved.columns.map((column, at) => ({ ...column, name: names[at] ?? '' }));
  const query = withTables([{ name: table, query: input.query, recursive: false }], resolved.query);
  const alias = context.fresh(call.alias?.name ?? 'filled');
  return derivedFrom({ ...resolved, query, columns: renamed }, call.alias?.name, alias);
}

/** The syntax tree of SQL that no author has written: its problems are those of the call. */
function queryAt({ start }: Syntax.TableFunction, sql: string): Syntax.Query {
  const { query } = parseQuery(sql);
  walk(query, (node) => {
    Object.assign(node, { start, end: start });
  });
  return query;
}
