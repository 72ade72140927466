import { GatewayError } from '../errors.ts';

/** How soon a place in a full queue may be free. */
const retryAfterSeconds = 1;

/** The error for a query that comes when `ENGINE_QUEUE_LENGTH` others wait already. */
export const queueFull = (): GatewayError =>
  new GatewayError('ENGINE_BUSY', 'Too many queries are waiting; try again in a moment', {
    retryAfterSeconds,
  });
