import { element } from '../../tree/build.ts';
import { isEqual } from '../../tree/equal.ts';
import { macroName } from '../../tree/macro-name.ts';
import { forEachNode, mapExpressions, mapParts, type Mapper, mapperWith } from '../../tree/map.ts';
import type { Aggregate, Call, Column, Expression, List, Query } from '../../tree/nodes.ts';
import type { Pass } from '../pass.ts';
import { arrayRead } from '../rewriting/array-reads.ts';

/**
 * Makes APPROX_QUANTILES compute only those quantiles that the query reads, if it reads them by `[OFFSET(n)]` with a
 * literal n and in no other way: of the 101 quantiles of a percentile query usually two are read.
 */
export const narrowQuantiles: Pass = (query) => {
  const direct = narrowReads(query);
  return narrowColumns(direct);
};

/** Reads of the quantiles where they are computed: one aggregate computes all those that are read. */
function narrowReads(query: Query): Query {
  const found: { readonly of: Aggregate; readonly offsets: number[] }[] = [];
  const foundOf = (of: Aggregate) => found.find((one) => isEqual(one.of, of));
  forEachNode(query, (node) => {
    const read = 'type' in node ? directRead(node) : undefined;
    if (!read) return;
    const known = foundOf(read.of);
    if (known && !known.offsets.includes(read.offset)) known.offsets.push(read.offset);
    else if (!known) found.push({ of: read.of, offsets: [read.offset] });
  });
  if (found.length === 0) return query;
  return mapExpressions(query, (node) => {
    const read = 'type' in node ? directRead(node) : undefined;
    const offsets = read && foundOf(read.of)?.offsets;
    return read && offsets
      ? element(pick(read.of, offsets), offsets.indexOf(read.offset) + 1, node.type)
      : node;
  });
}

/** `quantile_disc(value, [fractions])[OFFSET(n)]`. */
function directRead(node: Expression) {
  const read = arrayRead(node);
  const of = read?.array;
  const fractions = of && fractionsOf(of);
  if (of?.kind !== 'aggregate' || !fractions || read === undefined || read.offset >= fractions.length)
    return undefined;
  return { of, offset: Number(read.offset) };
}

function narrowColumns(query: Query): Query {
  const reads = readsOf(query);
  const narrowed = new Map<string, readonly number[]>();
  forEachNode(query, (node) => {
    // DISTINCT compares all quantiles.
    if (node.kind !== 'derived' || node.query.kind !== 'select' || node.query.distinct) return;
    for (const { name, value } of node.query.columns) {
      const offsets = reads.get(keyOf(node.alias, name));
      const fractions = fractionsOf(value);
      if (!fractions || !offsets || offsets.includes(undefined)) continue;
      const distinct = [...new Set(offsets as readonly number[])];
      if (distinct.every((offset) => offset < fractions.length))
        narrowed.set(keyOf(node.alias, name), distinct);
    }
  });
  return narrowed.size === 0 ? query : narrow(query, narrowed);
}

const keyOf = (from: string, name: string) => JSON.stringify([from, name]);

/** The offsets at which columns are read; undefined means any other use. */
function readsOf(query: Query): ReadonlyMap<string, readonly (number | undefined)[]> {
  const reads = new Map<string, (number | undefined)[]>();
  const note = ({ from, name }: Column, offset: number | undefined) => {
    const key = keyOf(from, name);
    reads.set(key, [...(reads.get(key) ?? []), offset]);
  };
  const noted = new Set<Expression>();
  forEachNode(query, (node) => {
    const read = node.kind === 'call' ? offsetRead(node) : undefined;
    if (read) {
      noted.add(read.column);
      note(read.column, read.offset);
    }
    if (node.kind === 'column' && !noted.delete(node)) note(node, undefined);
  });
  return reads;
}

/** `bq.at_offset(column, n)`. */
function offsetRead({ function: name, args: [array, index] }: Call) {
  if (macroName(name) !== 'at_offset' || array?.kind !== 'column' || index?.kind !== 'literal')
    return undefined;
  if (typeof index.value !== 'bigint' || index.value < 0n) return undefined;
  return { column: array, offset: Number(index.value) };
}

/** The fractions of a `quantile_disc(value, [fractions])`. */
function fractionsOf(value: Expression): readonly Expression[] | undefined {
  if (value.kind !== 'aggregate' || value.function !== 'quantile_disc') return undefined;
  const [, fractions] = value.args;
  return fractions?.kind === 'list' ? fractions.items : undefined;
}

function narrow(query: Query, narrowed: ReadonlyMap<string, readonly number[]>): Query {
  const withReads = mapExpressions(query, (node) => {
    const read = node.kind === 'call' ? offsetRead(node) : undefined;
    const offsets = read && narrowed.get(keyOf(read.column.from, read.column.name));
    if (!read || !offsets) return node;
    return element(read.column, offsets.indexOf(read.offset) + 1, node.type);
  });
  return narrowDefinitions(withReads, narrowed);
}

function narrowDefinitions(query: Query, narrowed: ReadonlyMap<string, readonly number[]>): Query {
  const mapper: Mapper = mapperWith({
    from: (node) => {
      const mapped = mapParts(node, mapper);
      if (mapped.kind !== 'derived' || mapped.query.kind !== 'select') return mapped;
      const columns = mapped.query.columns.map((member) => {
        const offsets = narrowed.get(keyOf(mapped.alias, member.name));
        return offsets ? { ...member, value: pick(member.value as Aggregate, offsets) } : member;
      });
      return { ...mapped, query: { ...mapped.query, columns } };
    },
  });
  return mapper.query(query);
}

function pick(value: Aggregate, offsets: readonly number[]): Aggregate {
  const [of, fractions] = value.args as readonly [Expression, List];
  const items = offsets.flatMap((offset) => fractions.items[offset] ?? []);
  return { ...value, args: [of, { ...fractions, items }] };
}
