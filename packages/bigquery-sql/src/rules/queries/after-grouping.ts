import { aggregate, castTo, column, select } from '../../tree/build.ts';
import { isEqual } from '../../tree/equal.ts';
import { forEachNode, mapParts, type Mapper, someNode, unchanged } from '../../tree/map.ts';
import type { Column, Expression, Grouping, Select } from '../../tree/nodes.ts';
import { describeType, isScalar, type Type } from '../../types.ts';
import { collationKey, isCollated, textOfKey } from '../collation.ts';
import { type Place, Unsupported } from '../unsupported.ts';
import type { Output } from './outputs.ts';

/** Rewrites an expression for the clauses after GROUP BY. */
export type AfterGrouping = (value: Expression) => Expression;

/**
 * With several grouping sets, `a + 1` is computed of the grouped `a` if `a` is a key, even if `a + 1` is a key, too:
 * it is NULL wherever `a` is. DuckDB would take the key instead. A cast of the column hides the key from it.
 */
export function afterGrouping({ keys, sets }: Grouping, outputs: readonly Output[]): AfterGrouping {
  if (!sets) return anyOfGroup(keys.flatMap((key) => textOfKey(key) ?? []));
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
  const mapper: Mapper = { ...unchanged, expression: castKeys };
  const hasHidden = (value: Expression) =>
    someNode(value, (part) => hidden.some((key) => isEqual(key, part)));
  return (value) => (hasHidden(value) ? castKeys(value) : value);
}

/** Texts that are grouped without case: each is one of its group after it. */
function anyOfGroup(texts: readonly Expression[]): AfterGrouping {
  const replaced = (value: Expression): Expression => {
    if (value.kind === 'aggregate' && value.over === undefined) return value;
    const isKey = texts.some((text) => isEqual(text, value));
    return isKey ? aggregate('any_value', [value], value.type) : mapParts(value, mapper);
  };
  const mapper: Mapper = { ...unchanged, expression: replaced };
  return texts.length === 0 ? (value) => value : replaced;
}

/** The rows of SELECT DISTINCT; of texts that are equal but for their case, one of them. */
export function distinctRows(query: Select, alias: string): Select {
  if (!query.columns.some(({ value }) => isCollated(value.type))) return query;
  const columns = query.columns.map(({ name, value }) => column(alias, name, value.type));
  const keys = columns.map(collationKey);
  const any = anyOfGroup(keys.flatMap((key) => textOfKey(key) ?? []));
  return select({
    columns: columns.map((one) => ({ name: one.name, value: any(one) })),
    from: { kind: 'derived', alias, query: { ...query, distinct: false } },
    groupBy: { keys },
  });
}

/** @throws Unsupported for a column that DISTINCT cannot compare */
export function requireDistinguishable(
  place: Place,
  columns: readonly { readonly value: Expression }[],
): void {
  const wrong = columns.find(({ value: { type } }) => !isGroupable(type) && !isCollated(type));
  if (wrong) throw new Unsupported(place, `SELECT DISTINCT does not take ${describeType(wrong.value.type)}`);
}

/** True if values of a type can be grouped and distinguished by DISTINCT. */
export const isGroupable = (type: Type): boolean =>
  type.kind === 'struct'
    ? type.fields.every((field) => isGroupable(field.type))
    : type.kind === 'array'
      ? isGroupable(type.element)
      : !isScalar(type, 'JSON') && !isCollated(type);

/** True if PARTITION BY, set operations and aggregates' DISTINCT take a type, not only GROUP BY and SELECT DISTINCT. */
export const isGroupableAnywhere = (type: Type): boolean =>
  type.kind !== 'array' && type.kind !== 'struct' && isGroupable(type);

/** The end of a message about a type that cannot be grouped: what has a type that can be. */
export const groupableInstead = (type: Type): string => {
  if (isScalar(type, 'FLOAT64')) return ': CAST it AS STRING';
  const isText = type.kind === 'array' || type.kind === 'struct' || isScalar(type, 'JSON');
  return isText ? ': write TO_JSON_STRING(value)' : '';
};

/** The expression that a key groups by, also if the key names an output column. */
export const expressionOf = (key: Expression, outputs: readonly Output[]): Expression =>
  key.kind === 'position' ? (outputs[key.index - 1]?.value ?? key) : key;
