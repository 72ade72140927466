import { hasLambda } from '../macros/macros.ts';
import { aggregate, compareWith, field, integerLiteral, select as selectOf } from '../tree/build.ts';
import { isEqual } from '../tree/equal.ts';
import { mapParts, type Mapper, mapperWith, mapSelects, someNode } from '../tree/map.ts';
import type { Expression, Query, Select } from '../tree/nodes.ts';
import { afterGroups, isGroupAggregate, keysOf } from '../tree/query-parts.ts';
import { scalar } from '../types.ts';
import { deriveItem } from './rewriting/derive-item.ts';

/** A query whose clauses after GROUP BY DuckDB can bind. */
export const boundAfterGrouping = (query: Query): Query =>
  mapSelects(query, (select) => withWindow(havingAsQualify(fieldsOfKeys(select))));

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
 * Keys with subqueries that clauses after GROUP BY read too are computed before it: the aliases of a copy make it another
 * expression, whose columns DuckDB misses in GROUP BY.
 */
export const keysBeforeGroups = (query: Query, fresh: (prefix: string) => string): Query =>
  mapSelects(query, (select) => {
    const keys = keysOf(select).filter((key) => someNode(key, ({ kind }) => kind === 'subquery'));
    let reads = 0;
    const mapper: Mapper = mapperWith({
      expression: (part) => {
        const key = keys.find((one) => isEqual(one, part));
        if (key) reads += 1;
        return key ?? mapParts(part, mapper);
      },
    });
    const { where, ...others } = mapParts(select, mapper);
    if (reads <= keys.length) return select;
    return deriveItem({ ...others, where: [] }, select.from, { values: keys, where }, fresh);
  });

const hasWindow = (value: Expression): boolean =>
  someNode(value, (part) => part.kind === 'aggregate' && part.over !== undefined);

const mayNestLambdas = (value: Expression): boolean =>
  someNode(value, (part) => part.kind === 'call' && hasLambda(part.function));

interface StructField {
  readonly value: Expression;
  readonly read: Expression;
}

/** Reads the fields of a STRUCT that is a key from it: DuckDB knows only the keys, not the values of which one is made. */
function fieldsOfKeys(select: Select): Select {
  const { columns, having, qualify, orderBy } = select;
  const keys = keysOf(select);
  const isKey = (value: Expression) => keys.some((key) => isEqual(key, value));
  const fields = keys.flatMap((key) => fieldsOf(key, key)).filter(({ value }) => !isKey(value));
  if (fields.length === 0) return select;
  const mapper: Mapper = mapperWith({
    expression: (part) => {
      if (isKey(part) || isGroupAggregate(part)) return part;
      return fields.find(({ value }) => isEqual(value, part))?.read ?? mapParts(part, mapper);
    },
  });
  const {
    kind: _,
    distinct: __,
    where: ___,
    ...after
  } = mapParts(selectOf({ columns, having, qualify, orderBy }), mapper);
  return { ...select, ...after };
}

/** The values of a STRUCT, and of those within it, as its fields. */
const fieldsOf = (value: Expression, read: Expression): readonly StructField[] =>
  value.kind === 'struct' || value.kind === 'record'
    ? value.fields.flatMap((member) => {
        const own = field(read, member.name, member.value.type);
        const isOfRow = someNode(member.value, ({ kind }) => kind === 'column');
        return isOfRow ? [{ value: member.value, read: own }, ...fieldsOf(member.value, own)] : [];
      })
    : [];
