import { decimalOf } from '@querygate/bigquery-sql/types';
import { GatewayError } from '../../errors.ts';
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
  `got ${value}, which is rounded as a number; send at most 15 digits, or all of them as text`;

/** The texts of values that JSON or GraphQL has read. @throws GatewayError INVALID_PARAMETER if one may be rounded */
export function textsOfValues(parameter: Parameter | undefined, value: unknown): readonly string[] {
  return [value].flat().map((one) => {
    if (parameter === undefined || !mayBeRounded(parameter, one)) return String(one);
    const { name } = parameter;
    throw new GatewayError('INVALID_PARAMETER', `${name}: ${roundedProblem(one)}`, { parameter: name });
  });
}
