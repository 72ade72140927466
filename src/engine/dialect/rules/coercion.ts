import type { Sql } from '../scope.ts';
import { duckdbType, type ScalarName, type Type } from '../type.ts';

/** What BigQuery converts without being told to, nearest first. */
const widened: Readonly<Partial<Record<ScalarName, readonly ScalarName[]>>> = {
  INT64: ['NUMERIC', 'BIGNUMERIC', 'FLOAT64'],
  NUMERIC: ['BIGNUMERIC', 'FLOAT64'],
  BIGNUMERIC: ['FLOAT64'],
  DATE: ['DATETIME'],
};

/** What a string literal or a STRING parameter may stand for. */
const writtenAsText: readonly ScalarName[] = ['DATE', 'DATETIME', 'TIME', 'TIMESTAMP'];

/** How far a value is from a type: 0 the same, more where it is converted, undefined where it can't be. */
export function distance(from: Sql, to: Type): number | undefined {
  const { type } = from;
  if (type.kind === 'unknown' || to.kind === 'unknown') return 0;
  if (type.kind === 'null') return 1;
  if (type.kind === 'array' && to.kind === 'array')
    return distance({ ...from, type: type.element }, to.element);
  if (type.kind !== 'scalar' || to.kind !== 'scalar') return type.kind === to.kind ? 0 : undefined;
  if (type.name === to.name) return 0;
  const step = (widened[type.name] ?? []).indexOf(to.name);
  if (step >= 0) return step + 1;
  return type.name === 'STRING' && from.coercible && writtenAsText.includes(to.name) ? 5 : undefined;
}

/** The value as DuckDB text of exactly that type. */
export function converted(from: Sql, to: Type): string {
  const target = duckdbType(to);
  const same = duckdbType(from.type) === target && from.type.kind !== 'null';
  return same || from.type.kind === 'unknown' || target === undefined
    ? from.text
    : `CAST(${from.text} AS ${target})`;
}

/** The type that values of several branches have together; undefined where there is none. */
export function supertype(values: readonly Sql[]): Type | undefined {
  const types = values.map(({ type }) => type).filter(({ kind }) => kind !== 'null');
  const unknownOne = types.find(({ kind }) => kind === 'unknown');
  if (unknownOne) return unknownOne;
  const [first = values[0]?.type] = types;
  if (!first) return undefined;
  return types.find((type) => values.every((value) => distance(value, type) !== undefined));
}
