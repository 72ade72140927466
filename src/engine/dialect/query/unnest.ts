import { assembleRecord, forwardColumns, isPresent, type ShreddedRecord } from '../passes/shredded.ts';
import type { FromItem, Range, Scope, Sql, UnnestTarget } from '../scope.ts';
import type { Translator } from '../translator.ts';
import { quote, scalar, type Type, unknown } from '../types.ts';
import { Unsupported } from '../unsupported.ts';
import type { Unnest } from './from-item.ts';

/** Select-list expressions that turn each row into one row per element. */
interface UnnestColumns {
  readonly element: string;
  readonly offset: string;
  readonly type: Type;
}

/** @param keepEmpty whether a row without elements is kept, with NULL as its element (LEFT JOIN) */
function unnestColumns(array: Sql, keepEmpty: boolean): UnnestColumns {
  const type = array.type.kind === 'array' ? array.type.element : unknown;
  const indexes = `range(len(${array.text}))`;
  if (!keepEmpty) return { element: `unnest(${array.text})`, offset: `unnest(${indexes})`, type };
  const orNull = (list: string) => `unnest(CASE WHEN len(${array.text}) > 0 THEN ${list} ELSE [NULL] END)`;
  return { element: orNull(array.text), offset: orNull(indexes), type };
}

/** UNNEST as a FROM item of its own, for arrays that can't be unnested in place. */
export function unnestItem(unnest: Unnest, scope: Scope, tr: Translator): FromItem {
  const array = arrayOperand(unnest, scope, tr);
  const name = tr.fresh('element');
  if (array.shredded) return unnestShreddedItem(unnest, array, array.shredded, name);
  const { element, offset, type } = unnestColumns(array, false);
  const value = `${quote(name)}."value"`;
  const offsets = unnest.offset === undefined ? '' : `, ${offset} AS "offset"`;
  return {
    ranges: rangesOf(
      unnest,
      { text: value, type },
      { text: `${quote(name)}."offset"`, type: scalar('INT64') },
    ),
    merged: [],
    unnestTargets: [],
    text: () => `(SELECT ${element} AS "value"${offsets}) AS ${quote(name)}`,
  };
}

/** The one record of a shredded array as a row; no row if the record is absent. */
function unnestShreddedItem(unnest: Unnest, array: Sql, shredded: ShreddedRecord, name: string): FromItem {
  const columns = [`${isPresent(shredded)} AS "value"`, ...forwardColumns(shredded, 'value')];
  const record = shreddedElement(array, { ...shredded, owner: quote(name), path: 'value' });
  return {
    ranges: rangesOf(unnest, record, { text: firstOffset, type: scalar('INT64') }),
    merged: [],
    unnestTargets: [],
    text: () => `(SELECT ${columns.join(', ')} WHERE ${isPresent(shredded)}) AS ${quote(name)}`,
  };
}

const firstOffset = 'CAST(0 AS BIGINT)';

const shreddedElement = ({ type }: Sql, shredded: ShreddedRecord): Sql => ({
  text: assembleRecord(shredded),
  type: type.kind === 'array' ? type.element : unknown,
  shredded,
});

/**
 * The left side of the join with one row per element. DuckDB plans a join with a correlated UNNEST as a delim join,
 * which is a hundred times slower than UNNEST in the select list of a subquery around the FROM item with the array.
 *
 * @returns undefined if the array is not part of an item whose rows may be multiplied in place
 */
export function unnestInPlace(
  unnest: Unnest,
  keepEmpty: boolean,
  left: FromItem,
  scope: Scope,
  tr: Translator,
): FromItem | undefined {
  const array = arrayOperand(unnest, scope, tr);
  const { unnestTarget } = array;
  if (!unnestTarget || !left.unnestTargets.includes(unnestTarget)) return undefined;
  const extendLeft = (added: readonly Range[]): FromItem => ({
    ...left,
    ranges: [...left.ranges, ...added.map((range) => ({ ...range, unnestTarget }))],
  });
  if (array.shredded) {
    const present = isPresent(array.shredded);
    if (!keepEmpty) addCondition(unnestTarget, present);
    const first = keepEmpty ? `CASE WHEN ${present} THEN ${firstOffset} END` : firstOffset;
    const record = shreddedElement(array, array.shredded);
    return extendLeft(rangesOf(unnest, record, { text: first, type: scalar('INT64') }));
  }

  const { element, offset, type } = unnestColumns(array, keepEmpty);
  const column = (preferred: string) => {
    const name = unnestTarget.usedNames.has(preferred.toLowerCase()) ? tr.fresh(preferred) : preferred;
    unnestTarget.usedNames.add(name.toLowerCase());
    return name;
  };
  const elementName = column(unnest.alias ?? 'element');
  const columns = [`${element} AS ${quote(elementName)}`];
  const at = (name: string) => `${quote(unnestTarget.name)}.${quote(name)}`;
  let position: Sql = { text: 'NULL', type: scalar('INT64') };
  if (unnest.offset !== undefined) {
    const offsetName = column(unnest.offset);
    columns.push(`${offset} AS ${quote(offsetName)}`);
    position = { text: at(offsetName), type: scalar('INT64') };
  }
  unnestTarget.steps.push({ columns: columns.join(', ') });

  return extendLeft(rangesOf(unnest, { text: at(elementName), type }, position));
}

/** Filters the rows; adjacent conditions share one subquery. */
function addCondition({ steps }: UnnestTarget, condition: string): void {
  const last = steps.at(-1);
  if (last && 'condition' in last) steps.splice(-1, 1, { condition: `${last.condition} AND ${condition}` });
  else steps.push({ condition });
}

function rangesOf(unnest: Unnest, element: Sql, offset: Sql): readonly Range[] {
  const own: Range = { name: unnest.alias, columns: [], value: element };
  return unnest.offset === undefined ? [own] : [own, { name: unnest.offset, columns: [], value: offset }];
}

function arrayOperand(unnest: Unnest, scope: Scope, tr: Translator): Sql {
  const array = tr.expr(unnest.array, scope);
  if (array.type.kind === 'array' || array.type.kind === 'unknown') return array;
  throw new Unsupported(unnest.node, 'UNNEST takes an array');
}
