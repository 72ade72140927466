import type { Node } from 'sql-parser-cst';
import { assembleRecord, forwardColumns, isPresent, type ShreddedRecord } from '../passes/shredded.ts';
import type { Range, Scope, Sql, UnnestTarget } from '../scope.ts';
import type { Translator } from '../translator.ts';
import { quote, scalar, type Type, unknown } from '../types.ts';
import { Unsupported } from '../unsupported.ts';
import type { FromItem } from './from.ts';

/** One UNNEST as it stands in FROM. */
export interface Unnest {
  readonly node: Node;
  readonly array: Node;
  readonly alias: string | undefined;
  /** The offset's name; undefined without WITH OFFSET. */
  readonly offset: string | undefined;
}

/** What a select list has to hold so that each row becomes one row per element. */
interface UnnestColumns {
  readonly element: string;
  readonly offset: string;
  readonly type: Type;
}

/**
 * How the elements of a list are had.
 *
 * @param keepEmpty whether a row without elements stays, with NULL for its element (LEFT JOIN)
 */
export function unnestColumns(array: Sql, keepEmpty: boolean): UnnestColumns {
  const type = array.type.kind === 'array' ? array.type.element : unknown;
  const indexes = `range(len(${array.text}))`;
  if (!keepEmpty) return { element: `unnest(${array.text})`, offset: `unnest(${indexes})`, type };
  const orNull = (list: string) => `unnest(CASE WHEN len(${array.text}) > 0 THEN ${list} ELSE [NULL] END)`;
  return { element: orNull(array.text), offset: orNull(indexes), type };
}

/** FROM UNNEST(…) on its own, or where its elements can't be folded into the rows they come from. */
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

/** The one record of a shredded array, as a row of its own where it is there. */
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
 * The left side with one row per element. DuckDB plans a join with a correlated UNNEST as a delim join, a hundred
 * times slower than UNNEST in the select list of a subquery around the FROM item that the array is a column of.
 *
 * @returns undefined where the array is not a path of an item whose rows may be multiplied in place
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
    const there = isPresent(array.shredded);
    if (!keepEmpty) addCondition(unnestTarget, there);
    const first = keepEmpty ? `CASE WHEN ${there} THEN ${firstOffset} END` : firstOffset;
    const record = shreddedElement(array, array.shredded);
    return extendLeft(rangesOf(unnest, record, { text: first, type: scalar('INT64') }));
  }

  const { element, offset, type } = unnestColumns(array, keepEmpty);
  const column = (wanted: string) => {
    const name = unnestTarget.usedNames.has(wanted.toLowerCase()) ? tr.fresh(wanted) : wanted;
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

/** Drops the rows that do not meet a condition. */
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
