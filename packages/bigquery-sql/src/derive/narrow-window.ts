import { foldName } from '@querygate/text';
import type { NodeOf, Node as SyntaxNode, Table as SyntaxTable } from '../syntax/nodes.ts';
import { parseQuery } from '../syntax/parse-query.ts';
import { skip, walk } from '../syntax/walk.ts';
import { forEachNode } from '../tree/map.ts';
import type { Query } from '../tree/nodes.ts';
import { isRandom } from '../tree/volatile.ts';
import { editText, NotDerivable, type TextEdit } from './edit-text.ts';
import { type FoundBuckets, findBuckets } from './find-buckets.ts';

/** A query whose rows are made bucket by bucket, and the same query over a part of the time. */
export interface Narrowed extends FoundBuckets {
  /** It has three more parameters, all of them TIMESTAMPs: rows from `from` on or before `until` are read, and `now` is the current time. */
  readonly sql: string;
  readonly parameters: { readonly from: string; readonly until: string; readonly now: string };
  /** Each with the column by which it is narrowed. */
  readonly tables: readonly TimedTable[];
}

/** A table, and its column of time. */
export interface TimedTable {
  readonly name: string;
  readonly time: string;
}

interface NarrowOptions {
  readonly sql: string;
  /** The tree of the SQL, before any pass. */
  readonly query: Query;
  /** The TIMESTAMP that every row of a table has; undefined without one. */
  readonly timeOf: (table: string) => string | undefined;
}

/**
 * Narrows a query to a part of its time window. It is proved that each of its rows is made of the rows of one bucket of time, and
 * that buckets depend on the current time only by comparisons: a bucket with other rows or other outcomes is computed again as a
 * whole, so that no aggregate has to be put together from parts.
 *
 * @throws NotDerivable if that cannot be proved
 */
export function narrowWindow({ sql, query, timeOf }: NarrowOptions): Narrowed {
  const statement = parseQuery(sql);
  const find = (test: (node: SyntaxNode) => boolean) => placeOf(statement, test);
  if (isRandom(query))
    throw new NotDerivable(
      'a random value would be another one in each run',
      find(isCallOf('rand', 'generate_uuid')),
    );
  const { bucket, edges } = findBuckets(query, timeOf, find);
  const tables = new Map<string, TimedTable>();
  const starts = new Map<number, string>();
  forEachNode(query, (node) => {
    const time = node.kind === 'table' ? timeOf(node.name) : undefined;
    if (node.kind !== 'table' || time === undefined) return;
    tables.set(node.name, { name: node.name, time });
    starts.set(node.start, time);
  });
  const parameters = freshParameters(sql);
  const edits: TextEdit[] = [];
  walk(statement, (node, around) => {
    if (node.kind === 'CreateFunction') {
      if (placeOf(node, isClock) !== undefined)
        throw new NotDerivable('a function reads the clock', placeOf(node, isClock));
      return skip;
    }
    const time = node.kind === 'Table' ? starts.get(node.path.start) : undefined;
    if (node.kind === 'Table' && time !== undefined) {
      starts.delete(node.path.start);
      edits.push(...narrowedTable(sql, node, around, { time, ...parameters }));
    }
    if (isClock(node)) edits.push(givenClock(sql, node, parameters.now));
    return isClock(node) ? skip : undefined;
  });
  const [missed] = starts.keys();
  if (missed !== undefined) throw new NotDerivable('a table is read in the body of a function', missed);
  return { sql: editText(sql, edits), parameters, tables: [...tables.values()], bucket, edges };
}

/** The place of the first node that passes a test. */
function placeOf(root: SyntaxNode, test: (node: SyntaxNode) => boolean): number | undefined {
  let place: number | undefined;
  walk(root, (node) => {
    if (place === undefined && test(node)) place = node.start;
    return place === undefined ? undefined : skip;
  });
  return place;
}

const isCallOf =
  (...names: readonly string[]) =>
  (node: SyntaxNode): boolean =>
    node.kind === 'FunctionCall' && names.includes(foldName(node.name.parts.at(-1)?.name ?? ''));

type Parameters = Narrowed['parameters'];

function freshParameters(sql: string): Parameters {
  const fresh = (name: string): string =>
    new RegExp(`\\b${name}\\b`, 'i').test(sql) ? fresh(`${name}_`) : name;
  return { from: fresh('window_from'), until: fresh('window_until'), now: fresh('window_now') };
}

/** The rows of a table that are read, as a condition; so that an engine need not read its other partitions. */
function narrowedTable(
  sql: string,
  table: SyntaxTable,
  around: readonly SyntaxNode[],
  { time, from, until }: Parameters & { readonly time: string },
): readonly TextEdit[] {
  const { path, alias, systemTime, withOffset } = table;
  if (systemTime !== undefined || withOffset !== undefined)
    throw new NotDerivable('a table as it was at another time has no new rows', path.start);
  const name = `\`${(alias ?? path.parts.at(-1))?.name}\``;
  const column = `${name}.\`${time}\``;
  const condition = `(${column} >= @${from} OR ${column} < @${until})`;
  const where = whereOf(table, around);
  if (where !== undefined)
    return [
      { start: where.start, end: where.start, text: `${condition} AND (` },
      { start: where.end, end: where.end, text: ')' },
    ];
  const read = `(SELECT * FROM ${sql.slice(path.start, path.end)} AS ${name} WHERE ${condition})`;
  return [{ start: path.start, end: path.end, text: alias === undefined ? `${read} AS ${name}` : read }];
}

/** The WHERE that sees each row of a table; undefined without one. */
function whereOf(table: SyntaxTable, around: readonly SyntaxNode[]): SyntaxNode | undefined {
  let item: SyntaxNode = table;
  for (const outer of around.toReversed()) {
    if (outer.kind === 'Select') return outer.from === item ? outer.where : undefined;
    if (outer.kind !== 'Join' || outer.type === 'FULL') return undefined;
    if ((outer.type === 'LEFT' && outer.right === item) || (outer.type === 'RIGHT' && outer.left === item))
      return undefined;
    item = outer;
  }
  return undefined;
}

const clocks: Readonly<Record<string, string>> = {
  current_timestamp: '',
  current_date: 'DATE',
  current_datetime: 'DATETIME',
  current_time: 'TIME',
};

type Clock = NodeOf<'Path'> | NodeOf<'FunctionCall'>;

function isClock(node: SyntaxNode): node is Clock {
  if (node.kind !== 'Path' && node.kind !== 'FunctionCall') return false;
  const { parts } = node.kind === 'Path' ? node : node.name;
  const [{ name, quoted }] = parts;
  return parts.length === 1 && !quoted && Object.hasOwn(clocks, foldName(name));
}

function givenClock(sql: string, node: Clock, now: string): TextEdit {
  const [{ name }] = (node.kind === 'Path' ? node : node.name).parts;
  const [zone] = node.kind === 'Path' ? [] : node.args;
  const callee = clocks[foldName(name)] ?? '';
  const args = [`@${now}`, ...(zone === undefined ? [] : [sql.slice(zone.start, zone.end)])].join(', ');
  return { start: node.start, end: node.end, text: callee === '' ? args : `${callee}(${args})` };
}
