import { foldName } from '@querygate/text';
import {
  call,
  caseWhen,
  column,
  compareWith,
  integerLiteral,
  list,
  nullLiteral,
  select,
} from '../tree/build.ts';
import { unusedName } from '../tree/fresh-names.ts';
import { forEachNode, mapSelects } from '../tree/map.ts';
import type { Column, Expression, From, Join, Member, Query, Select, Unnest } from '../tree/nodes.ts';
import { scalar, unknown } from '../types.ts';
import type { Pass, PassOptions } from './pass.ts';
import { columnsRead } from './rewriting/columns-read.ts';
import { isUnconditional, joinsOf, replaceItem, requiredItems } from './rewriting/from-items.ts';
import { substitute, substituteIn } from './rewriting/substitute.ts';

/**
 * Unnests an array in the select list of a subquery around the FROM item that has it: DuckDB plans a join with a
 * correlated UNNEST as a delim join, which is a hundred times slower.
 */
export const unnestInPlace: Pass = (query, options) =>
  mapSelects(query, (node) => unnestAll(node, query, options));

function unnestAll(node: Select, root: Query, options: PassOptions): Select {
  const found = node.from && findUnnest(node.from);
  return found ? unnestAll(unnestOne(node, found, root, options), root, options) : node;
}

interface Found {
  readonly join: Join;
  readonly unnest: Unnest;
  /** The item with the array. */
  readonly owner: From & { readonly alias: string };
}

function findUnnest(from: From): Found | undefined {
  for (const join of joinsOf(from)) {
    const { right } = join;
    if (right.kind !== 'unnest' || !isUnconditional(join)) continue;
    const owners = ownersOf(right.array);
    const [owner, another] = requiredItems(join.left).filter(
      (item): item is Found['owner'] => canHold(item) && owners.has(item.alias),
    );
    if (owner && !another && owners.size === 1) return { join, unnest: right, owner };
  }
  return undefined;
}

/** True if a subquery may be put around an item. An item that reads those to its left cannot be moved. */
const canHold = (item: From): item is Found['owner'] =>
  'alias' in item && item.kind !== 'unnest' && !(item.kind === 'derived' && item.lateral);

/** The aliases whose columns an expression reads; none if it contains what can't move into a select list. */
function ownersOf(array: Expression): ReadonlySet<string> {
  const owners = new Set<string>();
  let canMove = true;
  forEachNode(array, (part) => {
    if (part.kind === 'column') owners.add(part.from);
    if (part.kind === 'subquery' || part.kind === 'aggregate') canMove = false;
  });
  return canMove ? owners : new Set();
}

function unnestOne(
  node: Select,
  { join, unnest, owner }: Found,
  root: Query,
  { fresh }: PassOptions,
): Select {
  const inner = fresh(owner.alias);
  // The columns of the item that the whole query reads: subqueries may be correlated to it.
  const read = new Map([...columnsIn(root, owner.alias), ...columnsIn(node, owner.alias)]);
  const kept = [...read.values()].map(
    ({ name, type, required }): Member => ({ name, value: column(inner, name, type, required) }),
  );
  const array = substituteIn(unnest.array, (part) =>
    part.from === owner.alias ? { ...part, from: inner } : undefined,
  );
  const keepEmpty = join.join === 'LEFT';
  const used = new Set(kept.map(({ name }) => foldName(name)));
  const elementName = unusedName(unnest.alias, used);
  const offsetName = unusedName(`${unnest.alias}_offset`, used);
  const added = [{ name: elementName, value: elements(array, keepEmpty) }];
  if (unnest.offset) added.push({ name: offsetName, value: offsets(array, keepEmpty) });
  const derived: From = {
    kind: 'derived',
    alias: owner.alias,
    query: select({ columns: [...kept, ...added], from: { ...owner, alias: inner } as From }),
  };
  const left = replaceItem(join.left, owner, derived);
  const from = node.from && left && replaceItem(node.from, join, left);
  const moved = substitute({ ...node, ...(from && { from }) }, (part: Column) => {
    if (part.from !== unnest.alias) return undefined;
    return { ...part, from: owner.alias, name: part.name === 'offset' ? offsetName : elementName };
  });
  return moved;
}

const columnsIn = (node: Query, alias: string): ReadonlyMap<string, Column> =>
  columnsRead(node).get(alias) ?? new Map();

const elements = (array: Expression, keepEmpty: boolean): Expression =>
  call('unnest', [keepEmpty ? orNull(array, array) : array], elementType(array));

function offsets(array: Expression, keepEmpty: boolean): Expression {
  const indexes = call('range', [call('len', [array])]);
  return call('unnest', [keepEmpty ? orNull(array, indexes) : indexes], scalar('INT64'));
}

const elementType = ({ type }: Expression) => (type.kind === 'array' ? type.element : unknown);

/** The list, or one NULL if the array is empty or NULL. */
const orNull = (array: Expression, items: Expression): Expression =>
  caseWhen(compareWith('>', call('len', [array]), integerLiteral(0)), items, list([nullLiteral()]));
