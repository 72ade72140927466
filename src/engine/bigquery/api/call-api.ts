import type { z } from 'zod';
import type { BoundQuery } from '../../../catalog/binding/bind.ts';
import type { Limit } from '../deadline.ts';
import { openPatience } from './attempt-timeout.ts';
import type { Call, Client } from './client.ts';
import { EngineFailure, explainRefusal } from './errors.ts';
import type { HttpReply } from './http.ts';
import { unreadable } from './malformed-response.ts';
import { retrying } from './retry.ts';
import { errorReply } from './wire.ts';

/** The longest that BigQuery is let work on one call. After that it tells a job to ask for, and to cancel. */
const longestWaitMs = 10_000;

/** How much longer than BigQuery was told to take a call may take. */
const longestGraceMs = 2_000;

export interface Asking {
  readonly client: Client;
  readonly bound: BoundQuery;
  readonly limit: Limit;
}

/** @param waitMs how long BigQuery is to work before it answers that it has not finished */
export type MakeCall = (waitMs: number) => Omit<Call, 'signal'>;

/**
 * Makes one call until BigQuery has answered it, and reads the answer.
 *
 * Each try takes half of the time that is left, so that a connection that was lost without a word is noticed while there
 * is time for another, and so that a job is known before it must be cancelled.
 *
 * @param until aborting it ends the call
 * @throws EngineFailure; the signal's reason
 */
export function ask<T extends z.ZodType>(
  asking: Asking,
  makeCall: MakeCall,
  until: AbortSignal,
  shape: T,
): Promise<z.output<T>> {
  return retrying(asking.limit, async () => {
    const remainingMs = asking.limit.remainingMs();
    const waitMs = Math.floor(Math.min(longestWaitMs, remainingMs / 2));
    const graceMs = Math.min(longestGraceMs, remainingMs / 4);
    const patience = openPatience(waitMs + graceMs, until);
    try {
      return read(
        await asking.client.call({ ...makeCall(waitMs), signal: patience.signal }),
        asking.bound,
        shape,
      );
    } finally {
      patience.release();
    }
  });
}

/** An answer as data of the given shape. */
export function read<T extends z.ZodType>(
  { status, text, retryAfterSeconds }: HttpReply,
  bound: BoundQuery,
  shape: T,
): z.output<T> {
  const body = parseJson(text);
  if (status >= 400) {
    const { error } = errorReply.safeParse(body).data ?? {};
    const [first] = error?.errors ?? [];
    const message = first?.message ?? error?.message ?? text.slice(0, 500);
    throw explainRefusal({ status, reason: first?.reason, message, retryAfterSeconds }, bound);
  }
  const parsed = shape.safeParse(body);
  if (parsed.success) return parsed.data;
  throw new EngineFailure(unreadable(text.slice(0, 200)), true);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
