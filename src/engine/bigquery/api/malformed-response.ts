import { GatewayError } from '../../../errors.ts';

/** An answer that is none of BigQuery's: HTML of some proxy, half a body, rows that do not fit their schema. */
export function unreadable(what: string): GatewayError {
  return new GatewayError(
    'ENGINE_UNAVAILABLE',
    'The query engine gave an answer that cannot be read; try again later',
    { retryAfterSeconds: 5, cause: new Error(`BigQuery's answer cannot be read: ${what}`) },
  );
}
