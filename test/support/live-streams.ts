import type { RequestHead } from '../../src/http/message/head.ts';
import { draftQuery } from './queries.ts';

/** What the request of a stream begins with, for tests that give it to `Live.stream` themselves. */
export const streamHead: RequestHead = {
  method: 'GET',
  url: 'http://gateway.test/',
  headers: { 'x-api-key': 'ann' },
  address: '127.0.0.1',
  signal: new AbortController().signal,
};

/** A query that can be followed. */
export const followedQuery = (parameter = '{ type: string, description: P. }') =>
  draftQuery({
    columns: { x: 'string' },
    parameters: { p: parameter },
    caching: ['caching: 60s', 'live: 60s'],
    sql: 'select @p as x',
  });
