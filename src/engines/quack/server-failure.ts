import type { BoundQuery } from '../../catalog/binding/bind.ts';
import { GatewayError, type Problem } from '../../errors.ts';
import { notOnServerText } from '@querygate/bigquery-sql/duckdb';
import { explainFailure } from '../duckdb/run/explain-failure.ts';

/** Why a server did not answer. */
export class ServerFailure extends Error {
  /** True if the server does not know the session: it has been started again, or has ended the session. */
  readonly isUnknownSession: boolean;
  /** True if no answer has come. */
  readonly isUnreachable: boolean;
  /** True if its certificate is not one of an authority that is known, or is of another name. */
  readonly isUntrusted: boolean;
  /** True if the server refuses the token. */
  readonly isRefused: boolean;

  /** @param error of the client, which may quote what was sent */
  constructor(error: unknown, token: string) {
    const text = error instanceof Error ? error.message : String(error);
    // The client adds the statement that it ran itself.
    const ofServer = (text.split('\n\nLINE 1: FROM quack_query_by_name', 1)[0] ?? '').replaceAll(token, '…');
    super(ofServer.replace(outOfMemory, 'Out of Memory Error: '));
    this.isUnknownSession = /Invalid connection id|Connection does not exist/.test(this.message);
    this.isUnreachable = /^(?:IO|HTTP) Error: /.test(this.message);
    this.isUntrusted = /SSL (?:peer certificate|CA cert)/.test(this.message);
    this.isRefused = this.message.includes('Authentication failed');
  }
}

/** Quack gives a shortage of memory on the server the class of an error of values. */
const outOfMemory =
  /^Invalid Input Error: (?=(?:could not|failed to) (?:allocate|pin|offload) (?:data|block) )/;

/** The tables of the server are not those that are declared. */
export class WrongTables extends Error {
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    super(problems.map(({ message }) => message).join('; '));
    this.problems = problems;
  }
}

const retryAfterSeconds = 5;

/** A failure as callers see it. The text of the server, which may quote rows and SQL, is only the cause. */
export function toGatewayError(cause: unknown, bound: BoundQuery): GatewayError {
  if (cause instanceof GatewayError) return cause;
  if (cause instanceof ServerFailure) {
    const { isRefused, isUnreachable, isUnknownSession, message } = cause;
    if (isUnreachable || isUnknownSession) return unreachable(cause);
    if (isRefused)
      return new GatewayError(
        'ENGINE_MISCONFIGURED',
        'The database server refuses the token of the service; its operator must check it',
        { cause },
      );
    if (message.includes(notOnServerText))
      return new GatewayError('ENGINE_FAILED', `The query failed: a value ${notOnServerText}`, { cause });
  }
  if (cause instanceof WrongTables)
    return new GatewayError(
      'ENGINE_MISCONFIGURED',
      'The database server has other tables than the service expects; its operator must check them',
      { cause },
    );
  return explainFailure(cause, bound);
}

const unreachable = (cause: unknown): GatewayError =>
  new GatewayError('ENGINE_UNAVAILABLE', 'The database server cannot be reached; try again later', {
    retryAfterSeconds,
    cause,
  });
