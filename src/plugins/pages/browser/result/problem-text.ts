import { GatewayError } from '../gateway.ts';
import { durationText } from './words.ts';

/** What went wrong, in the gateway's words, and when to try again if the gateway says so. */
export function problemText(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const retry = error instanceof GatewayError ? error.retryAfterSeconds : undefined;
  if (retry === undefined) return message;
  return `${message}${/[.!?]$/.test(message) ? '' : '.'} Try again in ${durationText(retry)}.`;
}
