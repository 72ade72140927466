import { hasLambda } from '../macros/macros.ts';
import { aggregate, compareWith, field, integerLiteral } from '../tree/build.ts';
import { isEqual } from '../tree/equal.ts';
import { mapParts, type Mapper, mapperWith, mapSelects, someNode } from '../tree/map.ts';
import type { Expression, Query, Select } from '../tree/nodes.ts';
import { afterGroups, isGroupAggregate, isPath, keysOf } from '../tree/query-parts.ts';
import { scalar } from '../types.ts';
import { deriveItem } from './rewriting/derive-item.ts';

/** A query whose clauses after GROUP BY DuckDB can bind. */
export const boundAfterGrouping = (query: Query): Query =>
  mapSelects(query, (select) => withWindow(havingAsQualify(readFromKeys(select))));

/**
 * DuckDB can't bind a lambda within a lambda in HAVING, but can in QUALIFY. The two filter the same rows unless there are
 * window functions, which QUALIFY follows.
 */
function havingAsQualify(select: Select): Select {
  const { having, qualify } = select;
  if (!having.some(mayNestLambdas) || afterGroups(select).some(hasWindow)) return select;
  return { ...select, having: [], qualify: [...having, ...qualify] };
}

/** QUALIFY needs a window function, also if passes have left out the column that had it. */
function withWindow(select: Select): Select {
  const { columns, qualify } = select;
  if (qualify.length === 0 || [...columns.map(({ value }) => value), ...qualify].some(hasWindow))
    return select;
  const row = aggregate('row_number', [], scalar('INT64'), { over: { partitionBy: [], orderBy: [] } });
  return { ...select, qualify: [...qualify, compareWith('>', row, integerLiteral(0))] };
}

/**
 * Computes keys before GROUP BY: those with subqueries that clauses after it read too, because the aliases of a copy make it
 * another expression, whose columns DuckDB misses in GROUP BY; and of several sets of groups all, because a key is NULL in
 * some, which no pass that knows its value may forget.
 */
export const keysBeforeGroups = (query: Query, fresh: (prefix: string) => string): Query =>
  mapSelects(query, (select) => {
    const isOfSets = select.groupBy?.sets !== undefined;
    const keys = keysOf(select).filter((key) => (isOfSets ? !isPath(key) : hasSubquery(key)));
    if (keys.length === 0) return select;
    let reads = 0;
    const { where, ...others } = readFromKeys(select, (read) => {
      if (hasSubquery(read)) reads += 1;
    });
    if (!isOfSets && reads <= keys.length) return select;
    return deriveItem({ ...others, where: [] }, select.from, { values: keys, where }, fresh);
  });

const hasSubquery = (value: Expression): boolean => someNode(value, ({ kind }) => kind === 'subquery');

const hasWindow = (value: Expression): boolean =>
  someNode(value, (part) => part.kind === 'aggregate' && part.over !== undefined);

const mayNestLambdas = (value: Expression): boolean =>
  someNode(value, (part) => part.kind === 'call' && hasLambda(part.function));

/** A key or a field of one, and the expression that reads it from the key. */
interface KeyPart {
  readonly value: Expression;
  readonly read: Expression;
}

/**
 * Reads the fields of a STRUCT that is a key from it: DuckDB knows only the keys, not the values of which one is made.
 *
 * @param onRead called with each key, and with each field, that GROUP BY and the clauses after it read
 */
function readFromKeys(select: Select, onRead: (read: Expression) => void = () => {}): Select {
  const keys = keysOf(select);
  if (keys.length === 0) return select;
  const parts: readonly KeyPart[] = [
    ...keys.map((key) => ({ value: key, read: key })),
    ...keys.flatMap((key) => fieldsOf(key, key)),
  ];
  const mapper: Mapper = mapperWith({
    expression: (part) => {
      if (isGroupAggregate(part) && part.function !== 'grouping') return part;
      const found = parts.find(({ value }) => isEqual(value, part));
      if (!found) return mapParts(part, mapper);
      onRead(found.read);
      return found.read;
    },
  });
  const { from, where, ...others } = select;
  return { ...mapParts({ ...others, where: [] }, mapper), where, ...(from && { from }) };
}

/** The values of a STRUCT, and of those within it, as its fields. */
const fieldsOf = (value: Expression, read: Expression): readonly KeyPart[] =>
  value.kind === 'struct' || value.kind === 'record'
    ? value.fields.flatMap((member) => {
        const own = field(read, member.name, member.value.type);
        const isOfRow = someNode(member.value, ({ kind }) => kind === 'column');
        return isOfRow ? [{ value: member.value, read: own }, ...fieldsOf(member.value, own)] : [];
      })
    : [];
