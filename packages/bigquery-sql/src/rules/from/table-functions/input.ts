import type * as Syntax from '../../../syntax/nodes.ts';
import { select } from '../../../tree/build.ts';
import type { Query } from '../../../tree/nodes.ts';
import { sameName, type Type } from '../../../types.ts';
import type { Context } from '../../context.ts';
import { bareColumns, type Output, openColumns } from '../../queries/outputs.ts';
import type { Scope } from '../../scope.ts';
import { Unsupported } from '../../unsupported.ts';

/** A column of the rows that a table function takes. */
export interface InputColumn {
  /** Its name in the SQL of the function, which no author has chosen: c0, c1, … */
  readonly own: string;
  /** As readers know it; '' if it has no name. */
  readonly name: string;
  readonly type: Type;
}

/** The rows that a table function takes. */
export interface Input {
  /** Its columns have their own names. */
  readonly query: Query;
  readonly columns: readonly InputColumn[];
}

/**
 * The first argument of a table function, `TABLE name` or a query in parentheses.
 *
 * @returns undefined if its columns are not known, which another problem or the reader of the query has said
 */
export function inputOf(
  call: Syntax.TableFunction,
  shown: string,
  scope: Scope,
  context: Context,
): Input | undefined {
  const [first] = call.args;
  const item = first && itemOf(first);
  if (!item)
    throw new Unsupported(first ?? call, `${shown} takes TABLE and a name, or a query in parentheses, first`);
  const { from, ranges } = context.from(item, scope);
  const outputs = ranges.flatMap(bareColumns);
  if (!from || ranges.some(({ acceptsAnyColumn }) => acceptsAnyColumn) || outputs.some(isOpen))
    return undefined;
  const columns = outputs.map(({ name, value: { type }, isAnonymous }, at) => ({
    own: `c${at}`,
    name: isAnonymous ? '' : name,
    type,
  }));
  const members = outputs.map(({ value }, at) => ({ name: `c${at}`, value }));
  return { query: select({ columns: members, from }), columns };
}

function itemOf(node: Syntax.TableFunction['args'][number]): Syntax.FromItem | undefined {
  if (node.kind === 'Table') return node;
  if (node.kind !== 'ScalarSubquery') return undefined;
  return { kind: 'DerivedTable', start: node.start, end: node.end, query: node.query, alias: undefined };
}

const isOpen = ({ name }: Output): boolean => name === openColumns;

/** The column of that name. */
export function columnNamed(
  name: string,
  { columns }: Input,
  place: Syntax.Node,
  shown: string,
): InputColumn {
  const [column, another] = columns.filter((one) => sameName(one.name, name));
  if (!column || name === '') throw new Unsupported(place, `${shown}: no column is named ${name}`);
  if (another) throw new Unsupported(place, `${shown}: several columns are named ${name}`);
  return column;
}
