import { GatewayError } from '../errors.ts';

/** What is said where a count outgrows the wire. */
export const unsafeInteger = 'an integer is beyond 2^53, which JSON numbers cannot carry exactly';

/** A row lacks a column that the header promises. */
export function withoutRequired(column: string): GatewayError {
  return new GatewayError(
    'ENGINE_FAILED',
    `The query gave a row without ${column}, which its header calls required`,
  );
}
