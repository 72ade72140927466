import type { z } from 'zod';
import type { BoundQuery } from '../../../catalog/binding/bind.ts';
import { type Span, withSpan } from '../../../trace/span.ts';
import { malformedResponse, queryFailed } from './api-errors.ts';
import type { ApiRequest, Client } from './client.ts';
import type { Deadline } from './deadline.ts';
import type { HttpReply } from './http.ts';
import { retry } from './retry.ts';
import { errorReply } from './wire.ts';

/** How long BigQuery may hold one call. After that it replies with a job, which can be polled and cancelled. */
const maxWaitMs = 10_000;

/** How much longer than the time allowed to BigQuery its reply may take. */
const maxGraceMs = 2_000;

export interface CallContext {
  readonly client: Client;
  readonly bound: BoundQuery;
  readonly deadline: Deadline;
  /** The step of a traced request that makes the calls. */
  readonly span?: Span | undefined;
}

/** @param waitMs how long BigQuery may work before it replies that the query is not complete */
export type BuildRequest = (waitMs: number) => ApiRequest;

/**
 * Makes one call, with retries, and parses its reply.
 *
 * Each attempt takes half of the remaining time, so that a connection that was lost silently is noticed while there is
 * time for another attempt, and so that a job is known before it must be cancelled. A body may take all of it if it
 * does not pause.
 *
 * @param signal aborting it ends the call
 * @throws GatewayError; the signal's reason
 */
export function callApi<T extends z.ZodType>(
  { client, bound, deadline, span }: CallContext,
  buildRequest: BuildRequest,
  signal: AbortSignal,
  schema: T,
): Promise<z.output<T>> {
  return retry(deadline, async () => {
    const remainingMs = deadline.remainingMs();
    const waitMs = Math.floor(Math.min(maxWaitMs, remainingMs / 2));
    const graceMs = Math.min(maxGraceMs, remainingMs / 4);
    const request = buildRequest(waitMs);
    const timeoutMs = waitMs + graceMs;
    const reply = await withCallSpan(span, request, (traceparent) =>
      client.call(request, { signal, timeoutMs, bodyPauseMs: timeoutMs / 2, traceparent }),
    );
    return parseReply(reply, bound, schema, request.method === 'GET');
  });
}

/** One attempt as a span of its own, which the server may continue. */
export function withCallSpan(
  parent: Span | undefined,
  { method, path }: ApiRequest,
  call: (traceparent: string | undefined) => Promise<HttpReply>,
): Promise<HttpReply> {
  // The first part of a path is the collection; the others are ids.
  const [, collection = ''] = path.split(/[/?]/);
  const attributes = { 'db.system.name': 'gcp.bigquery', 'http.request.method': method };
  const run = async (span: Span | undefined) => {
    const reply = await call(span?.traceparent);
    span?.set({ 'http.response.status_code': reply.status });
    return reply;
  };
  return withSpan(parent, `bigquery ${collection}`, run, attributes, 'client');
}

/**
 * The body of a reply.
 *
 * @param isPoll true if it is about a job that had begun
 * @throws GatewayError if it reports an error, or does not match the schema
 */
export function parseReply<T extends z.ZodType>(
  { status, text, retryAfterSeconds }: HttpReply,
  bound: BoundQuery,
  schema: T,
  isPoll = false,
): z.output<T> {
  const body = parseJson(text);
  if (status >= 400) {
    const { error } = errorReply.safeParse(body).data ?? {};
    const [first] = error?.errors ?? [];
    const message = first?.message ?? error?.message ?? text.slice(0, 500);
    throw queryFailed(
      { status, reason: first?.reason ?? error?.status, message, retryAfterSeconds, isPoll },
      bound,
    );
  }
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  throw malformedResponse(text.slice(0, 200), { retry: true });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
