import { decimalOf } from '@querygate/bigquery-sql/types';
import { GatewayError } from '../../errors.ts';
import { memoize } from '../../memoize.ts';
import type { Parameter } from '../model/saved-query.ts';

/**
 * True if a value that JSON or GraphQL has read as a number may differ from what was sent for a parameter that is an
 * exact decimal: readers with double precision keep 15 digits, and do not say how many there were.
 */
export function mayBeRounded(parameter: Pick<Parameter, 'bind'> | undefined, value: unknown): boolean {
  if (typeof value !== 'number' || decimalOf(parameter?.bind) === undefined) return false;
  return Number.isInteger(value) ? !Number.isSafeInteger(value) : Number(value.toPrecision(15)) !== value;
}

/** Advises what to send instead of a number that may be rounded. */
export const roundedProblem = (value: unknown): string =>
  `got ${value}, which is rounded as a number; send at most 15 digits, all of them as text in JSON, or by REST`;

/** The texts of values that JSON or GraphQL has read. @throws GatewayError INVALID_PARAMETER if one may be rounded */
export function textsOfValues(parameter: Parameter | undefined, value: unknown): readonly string[] {
  if (parameter === undefined) return [value].flat().map(String);
  const { texts, rounded } = Array.isArray(value) ? textsOfList(parameter)(value) : read(parameter, [value]);
  if (rounded === undefined) return texts;
  const { name } = parameter;
  throw new GatewayError('INVALID_PARAMETER', `${name}: ${roundedProblem(rounded)}`, { parameter: name });
}

/** A list in a variable is that of all fields with it, of which an operation may have hundreds. */
const textsOfList = memoize((parameter: Parameter) =>
  memoize((values: readonly unknown[]) => read(parameter, values)),
);

const read = (parameter: Parameter, values: readonly unknown[]) => ({
  texts: values.map(String),
  rounded: values.find((one) => mayBeRounded(parameter, one)),
});
