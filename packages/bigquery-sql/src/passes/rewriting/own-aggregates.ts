import { column, select } from '../../tree/build.ts';
import { forEachNode, mapParts, type Mapper, mapSelects, unchanged } from '../../tree/map.ts';
import type { Aggregate, Column, From, Member, Node, Query, Select } from '../../tree/nodes.ts';
import { substituteIn } from './substitute.ts';

/**
 * Keeps each aggregate in the query in which it is written. DuckDB lets one that reads columns of an outer query only belong to
 * that query, and passes that replace columns make such aggregates: so what they read becomes columns of their own query.
 */
export const ownAggregates = (query: Query, fresh: (prefix: string) => string): Query =>
  mapSelects(query, (node) => ownAggregatesOf(node, fresh));

function ownAggregatesOf(node: Select, fresh: (prefix: string) => string): Select {
  const ownItems = node.from ? aliasesIn(node.from) : new Set<string>();
  const moved: Member[] = [];
  let alias: string | undefined;
  const move = (outer: Column): Column => {
    alias ??= fresh('outer');
    const name = `${outer.from}.${outer.name}`;
    if (!moved.some((member) => member.name === name)) moved.push({ name, value: outer });
    return column(alias, name, outer.type, outer.required);
  };
  const mapper: Mapper = {
    ...unchanged,
    expression: (part) => {
      if (part.kind === 'subquery') return part;
      const mapped = mapParts(part, mapper);
      if (mapped.kind !== 'aggregate' || mapped.over !== undefined) return mapped;
      const read = itemsRead(mapped);
      const isOfOuter = read.size > 0 && [...read].every((item) => !ownItems.has(item));
      return isOfOuter
        ? substituteIn(mapped, (part) => (read.has(part.from) ? move(part) : undefined))
        : mapped;
    },
  };
  const mapped = mapParts(node, mapper);
  if (alias === undefined) return node;
  const outer: From = { kind: 'derived', alias, query: select({ columns: moved }) };
  return {
    ...mapped,
    from: node.from ? { kind: 'join', join: 'CROSS', left: node.from, right: outer } : outer,
  };
}

function aliasesIn(node: Node): ReadonlySet<string> {
  const aliases = new Set<string>();
  forEachNode(node, (part) => {
    if ('alias' in part) aliases.add(part.alias);
  });
  return aliases;
}

/** The FROM items whose columns the arguments read, without those of their own subqueries. */
function itemsRead({ args }: Aggregate): ReadonlySet<string> {
  const items = new Set<string>();
  for (const arg of args) {
    const own = aliasesIn(arg);
    forEachNode(arg, (part) => {
      if (part.kind === 'column' && !own.has(part.from)) items.add(part.from);
    });
  }
  return items;
}
