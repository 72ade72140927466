import { aliasesOf } from '../../tree/aliases-of.ts';
import { column, element, list, select } from '../../tree/build.ts';
import { type Mapper, mapParts, someNode } from '../../tree/map.ts';
import type { Column, Derived, Expression, From, Member, Node, Select } from '../../tree/nodes.ts';
import { arrayOf, scalar } from '../../types.ts';
import { replaceItem } from './from-items.ts';

interface Computed {
  /** Expressions of the SELECT that become columns of the new query. */
  readonly values?: readonly Expression[];
  /** Conditions that filter the rows before. */
  readonly where?: readonly Expression[];
  /** Conditions that are computed with the values, and then filter the rows. */
  readonly keep?: readonly Expression[];
  /** Parts of the SELECT that read the columns as elements of an array. */
  readonly asElements?: readonly Node[];
}

/**
 * The same SELECT over a query in place of an item of FROM, or of none. It has the columns of the item that are read, and values that
 * are computed once for each of its rows.
 */
export function deriveItem(
  node: Select,
  item: From | undefined,
  { values = [], where = [], keep = [], asElements = [] }: Computed,
  fresh: (prefix: string) => string,
): Select {
  const alias = fresh('drawn_rows');
  const own = new Set(item && aliasesOf(item));
  const members = new Map<string, Member>();
  const newColumn = (key: string, value: Expression, required?: boolean): Column => {
    const { name } = members.get(key) ?? { name: `c${members.size + 1}` };
    members.set(key, { name, value });
    return column(alias, name, value.type, required);
  };
  const columns = new Map<Expression, Column>(
    values.map((value, at) => [value, newColumn(`value ${at}`, value)]),
  );
  const mapperIn = (isElement: boolean): Mapper => {
    const below = (part: Node) => (asElements.includes(part) ? mapperIn(true) : mapper);
    const mapper: Mapper = {
      expression: (part) => {
        if (part.kind !== 'column' || !own.has(part.from))
          return columns.get(part) ?? mapParts(part, below(part));
        const key = JSON.stringify([part.from, part.name]);
        if (!isElement || part.type.kind === 'array') return newColumn(key, part, part.required);
        return element(newColumn(`[${key}]`, list([part], arrayOf(part.type))), 1, part.type);
      },
      query: (part) => mapParts(part, below(part)),
      from: (part) => (part === item ? part : mapParts(part, below(part))),
    };
    return mapper;
  };
  const mapped = mapParts(node, mapperIn(false));
  const inner = select({ columns: [...members.values()], ...(item && { from: item }), where });
  const derived: Derived = {
    kind: 'derived',
    alias,
    query: keep.length === 0 ? inner : filtered(inner, keep, fresh('drawn_rows')),
    ...(item && node.from && readsItemsBeside(item, node.from) && { lateral: true }),
  };
  return { ...mapped, from: (item && mapped.from && replaceItem(mapped.from, item, derived)) ?? derived };
}

/** The rows for which conditions hold that are columns of the query below. */
function filtered(query: Select, keep: readonly Expression[], alias: string): Select {
  const tests = keep.map((value, at): Member => ({ name: `keep${at + 1}`, value }));
  const read = ({ name, value }: Member): Member => ({ name, value: column(alias, name, value.type) });
  return select({
    columns: (query.columns.length > 0 ? query.columns : tests).map(read),
    from: { kind: 'derived', alias, query: { ...query, columns: [...query.columns, ...tests] } },
    where: tests.map(({ name }) => column(alias, name, scalar('BOOL'))),
  });
}

/** True if an item is correlated to others of the same FROM. */
function readsItemsBeside(item: From, from: From): boolean {
  const own = aliasesOf(item);
  const others = aliasesOf(from).filter((alias) => !own.includes(alias));
  return someNode(item, (part) => part.kind === 'column' && others.includes(part.from));
}
