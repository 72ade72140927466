import { castTo } from '../../tree/build.ts';
import { isEqual } from '../../tree/equal.ts';
import { forEachNode, type Mapper, mapParts, someNode } from '../../tree/map.ts';
import type { Column, Expression, Grouping } from '../../tree/nodes.ts';
import type { Output } from './outputs.ts';

/** What the clauses after GROUP BY make of an expression. */
export type AfterGrouping = (value: Expression) => Expression;

/**
 * With several grouping sets, `a + 1` is computed of the grouped `a` if `a` is a key, even if `a + 1` is a key, too:
 * it is NULL wherever `a` is. DuckDB would take the key instead. A cast of the column hides the key from it.
 */
export function afterGrouping({ keys, sets }: Grouping, outputs: readonly Output[]): AfterGrouping {
  if (!sets) return (value) => value;
  const values = keys.map((key) => expressionOf(key, outputs));
  const columns = values.filter((value) => value.kind === 'column');
  const isKey = (value: Expression): value is Column => columns.some((key) => isEqual(key, value));
  const isComputed = (key: Expression): boolean => {
    if (key.kind === 'column' || key.kind === 'position') return false;
    let ofKeys = true;
    forEachNode(key, (part) => {
      if (part.kind === 'column' && !isKey(part)) ofKeys = false;
    });
    return ofKeys && someNode(key, ({ kind }) => kind === 'column');
  };
  const hidden = keys.filter(isComputed);
  if (hidden.length === 0) return (value) => value;
  const castKeys = (value: Expression): Expression => {
    if (value.kind === 'aggregate' && value.over === undefined) return value;
    return isKey(value) ? castTo(value, value.type) : mapParts(value, mapper);
  };
  const mapper: Mapper = { expression: castKeys, query: (query) => query, from: (from) => from };
  const hasHidden = (value: Expression) =>
    someNode(value, (part) => hidden.some((key) => isEqual(key, part)));
  return (value) => (hasHidden(value) ? castKeys(value) : value);
}

/** What a key groups by, also one that names an output column. */
export const expressionOf = (key: Expression, outputs: readonly Output[]): Expression =>
  key.kind === 'position' ? (outputs[key.index - 1]?.value ?? key) : key;
