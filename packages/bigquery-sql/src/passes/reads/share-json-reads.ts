import { aliasesOf } from '../../tree/aliases-of.ts';
import { call, column, element, list, select } from '../../tree/build.ts';
import { macroName } from '../../tree/macro-name.ts';
import { forEachPart, mapParts, type Mapper, mapSelects, someNode, unchanged } from '../../tree/map.ts';
import type { Column, Expression, Literal, Node, Select } from '../../tree/nodes.ts';
import { keysOf } from '../../tree/query-parts.ts';
import { arrayOf, isScalar, scalar } from '../../types.ts';
import type { Pass } from '../pass.ts';
import { columnsRead } from '../rewriting/columns-read.ts';

/**
 * Reads several paths of a text of JSON together: below the SELECT that uses the values, the text is checked and parsed
 * once a row.
 */
export const shareJsonReads: Pass = (query, { fresh }) =>
  mapSelects(query, (node) => withSharedReads(node, fresh));

/** A scalar at a path of a column, and what else finds numbers as they are written there. */
interface Read {
  readonly text: Column;
  readonly path: Literal;
  readonly others: readonly Expression[];
}

/** The macros of one value, and those in their bodies that take what DuckDB finds at the path: only such are defined. */
const macroOfValue: Readonly<Record<string, string>> = {
  json_scalar_at_key: 'bq.json_scalar_found_at_key',
  json_value: 'bq.json_scalar_found',
  json_extract_scalar: 'bq.json_scalar_found',
};

function readOf(node: Expression): (Read & { readonly macro: string }) | undefined {
  const macro = node.kind === 'call' ? macroOfValue[macroName(node.function) ?? ''] : undefined;
  if (node.kind !== 'call' || macro === undefined) return undefined;
  const [text, path, ...others] = node.args;
  if (text?.kind !== 'column' || !isScalar(text.type, 'STRING')) return undefined;
  if (path?.kind !== 'literal' || path.value === null) return undefined;
  return { text, path, others, macro };
}

function withSharedReads(node: Select, fresh: (prefix: string) => string): Select {
  const { from, where, ...rest } = node;
  const outer: Select = { ...rest, where: [] };
  const shared = from ? sharedPaths(outer, aliasesOf(from)) : [];
  // The reads of a subquery would have to be moved, too, and a record is more than one column.
  if (!from || shared.length === 0 || someNode(outer, ({ kind }) => kind === 'subquery' || kind === 'record'))
    return node;
  const alias = fresh('json_rows');
  const columnsOf = columnsRead(outer);
  const columns = aliasesOf(from).flatMap((item) => [...(columnsOf.get(item)?.values() ?? [])]);
  const moved = (of: Column) => {
    const at = columns.findIndex(({ from: item, name }) => item === of.from && name === of.name);
    return at < 0 ? of : { ...of, from: alias, name: `column_${at + 1}` };
  };
  const foundAt = (read: Read): Expression | undefined => {
    const at = shared.findIndex(({ text }) => isSameColumn(text, read.text));
    const paths = shared[at]?.paths ?? [];
    const index = paths.findIndex(({ value }) => value === read.path.value);
    return index < 0
      ? undefined
      : element(column(alias, `json_${at + 1}`, texts), index + 1, scalar('STRING'));
  };
  const mapper: Mapper = {
    ...unchanged,
    expression: (part) => {
      const read = readOf(part);
      const value = read && foundAt(read);
      if (read && value) {
        const at = [moved(read.text), read.path];
        const found = call(read.macro, [value, ...at, ...read.others], part.type);
        return call('bq.json_scalar_or_mended', [found, ...at], part.type);
      }
      return part.kind === 'column' ? moved(part) : mapParts(part, mapper);
    },
  };
  const inner = select({
    columns: [
      ...columns.map((value, at) => ({ name: `column_${at + 1}`, value })),
      ...shared.map(({ text, paths }, at) => ({
        name: `json_${at + 1}`,
        value: call('bq.json_found', [text, list(paths, texts)], texts),
      })),
    ],
    from,
    where,
  });
  return { ...mapParts(outer, mapper), from: { kind: 'derived', alias, query: inner } };
}

const texts = arrayOf(scalar('STRING'));

/** The columns of which several paths are read, with the paths. */
function sharedPaths(outer: Select, aliases: readonly string[]) {
  const keys = keysOf(outer);
  const found: { readonly text: Column; readonly paths: Literal[] }[] = [];
  const note = (node: Node): void => {
    const read = 'type' in node ? readOf(node) : undefined;
    if (read && aliases.includes(read.text.from)) {
      const known = found.find(({ text }) => isSameColumn(text, read.text));
      if (!known) found.push({ text: read.text, paths: [read.path] });
      else if (!known.paths.some(({ value }) => value === read.path.value)) known.paths.push(read.path);
    }
    // The reads of a branch do not count: it may be needed for few rows only.
    if (node.kind !== 'case') forEachPart(node, note);
    else if (node.branches[0]) note(node.branches[0].when);
  };
  note(outer);
  // If the query groups by the JSON text, its values are read once per group.
  const isKey = (text: Column) => keys.some((key) => someUnread(key, text));
  return found.filter(({ text, paths }) => paths.length > 1 && !isKey(text));
}

/** True if an expression uses a column in another way than by such a read. */
function someUnread(node: Expression, text: Column): boolean {
  if (readOf(node)) return false;
  if (node.kind === 'column') return isSameColumn(node, text);
  let found = false;
  forEachPart(node, (part) => {
    found ||= 'type' in part && someUnread(part, text);
  });
  return found;
}

const isSameColumn = (one: Column, other: Column) => one.from === other.from && one.name === other.name;
