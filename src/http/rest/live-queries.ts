import type { Logger } from 'pino';
import { z } from 'zod';
import { findQuery, lookUpQuery } from '../../catalog/model/find-query.ts';
import type { Catalog } from '../../catalog/model/saved-query.ts';
import { GatewayError } from '../../errors.ts';
import type { GetResult } from '../../results/get-result.ts';
import { authorizeAndBind } from '../access/authorize.ts';
import { endFrame, etagOf, eventFrame, hasLineBreak } from '../live/events.ts';
import { onlyWhole, requireFollowable, streamHeaders } from '../live/negotiate.ts';
import type { Followed, Live } from '../live/live.ts';
import type { StreamKind } from '../live/stream.ts';
import type { Variant } from '../live/variant.ts';
import { matchesEtag, variesByFormat } from '../message/cache-headers.ts';
import type { RequestHead } from '../message/head.ts';
import { httpLimits } from '../message/http-limits.ts';
import { EndpointRequest } from '../message/prepared-request.ts';
import { problemText, toGatewayError } from '../message/reply.ts';
import type { Admission, Answer } from '../message/route.ts';
import { Frame } from '../message/stream/frame.ts';
import { runBound } from './obtain-result.ts';
import { readPage } from './row-page.ts';
import { readRowRequest } from './row-parameters.ts';
import { refuseUndeclared } from './undeclared-parameters.ts';

interface LiveQueriesOptions {
  readonly catalog: Catalog;
  readonly live: Live;
  readonly getResult: GetResult;
  readonly now: () => Date;
  readonly log: Logger;
}

const { maxStreamQueries } = httpLimits;

const scalar = z.union([z.string(), z.number(), z.boolean()]).transform(String);

const bodySchema = z
  .array(
    z.strictObject({
      id: z.string().min(1).max(100),
      query: z.string().min(1).max(200),
      parameters: z.record(z.string(), z.union([scalar, z.array(scalar)])).default({}),
      etag: z.string().max(200).optional(),
    }),
  )
  .min(1)
  .max(maxStreamQueries)
  .refine((items) => new Set(items.map(({ id }) => id)).size === items.length);

type Item = z.output<typeof bodySchema>[number];

/** One of the queries, or why it cannot be followed. */
type Opened =
  | { readonly item: Item; readonly followed: Followed }
  | { readonly item: Item; readonly error: unknown };

/** Answers `POST /api/live`: one stream with the results of several queries. */
export function buildLiveQueries({ catalog, live, getResult, now, log }: LiveQueriesOptions): Answer {
  const open = async (item: Item, head: RequestHead, admission: Admission): Promise<Opened> => {
    try {
      const parameters = new Map(
        Object.entries(item.parameters).map(([name, value]) => [name, [value].flat()]),
      );
      const endpoint = new EndpointRequest(findQuery(catalog, item.query), parameters);
      if (endpoint.query.isStrict === true) refuseUndeclared(admission.principal, endpoint);
      const bound = authorizeAndBind(admission.principal, endpoint, head.headers, now);
      requireFollowable(bound);
      if (readRowRequest(endpoint) !== undefined || readPage(endpoint, bound) !== undefined)
        throw onlyWhole();
      const { document } = await runBound(getResult, bound, head, admission, true);
      const isKnown = item.etag !== undefined && matchesEtag(etagOf(document.digest), item.etag);
      const request = {
        id: item.id,
        endpoint,
        resolve: (next: Catalog) => lookUpQuery(next, item.query),
        variant: taggedResults,
        knownDigest: isKnown ? document.digest : undefined,
        head: new Frame([`data: {"id":${JSON.stringify(item.id)},`]),
      };
      return { item, followed: { request, bound, document } };
    } catch (error) {
      return { item, error };
    }
  };
  return async (head, _request, admission, readBody) => {
    const items = parseBody(await readBody());
    const opened = await Promise.all(items.map((item) => open(item, head, admission)));
    const followed = opened.flatMap((one) => ('followed' in one ? [one.followed] : []));
    const failed = opened.flatMap((one) => ('error' in one ? [one] : []));
    const [first] = failed;
    // As a request for each of them would be answered.
    if (followed.length === 0 && first !== undefined) throw first.error;
    const kind: StreamKind = {
      firstFrames: failed.map(({ item, error }) =>
        eventFrame(
          'error',
          undefined,
          `{"id":${JSON.stringify(item.id)},${problemText(toGatewayError(error, log)).slice(1)}`,
        ),
      ),
      endFrame,
      endOfOne: (code, { request }) => endFrame(code, request.id),
    };
    const body = live.stream(head, admission, followed, kind);
    return { status: 200, headers: { ...streamHeaders, vary: variesByFormat }, body };
  };
}

/** Each result is written once for all clients; what comes before it, with the id that a client has given it, is its own. */
const taggedResults: Variant = {
  id: 'tagged',
  whole: ({ digest, encodings: { identity } }) =>
    taggedFrame('next', `"etag":${JSON.stringify(etagOf(digest))},`, identity.subarray(1)),
  error: (error) => taggedFrame('error', problemText(error).slice(1)),
};

/** The rest of the data, and then the event, whose fields may come in any order. */
function taggedFrame(event: string, ...parts: readonly (string | Uint8Array)[]): Frame {
  const end = `\nevent: ${event}\n\n`;
  if (!parts.some(hasLineBreak)) return new Frame([...parts, end]);
  const text = parts.map((part) => (typeof part === 'string' ? part : Buffer.from(part).toString())).join('');
  return new Frame([text.replaceAll(/\r\n|\r|\n/g, '\ndata: '), end]);
}

/** @throws GatewayError BAD_REQUEST */
function parseBody(body: Uint8Array): readonly Item[] {
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(body).toString());
  } catch {
    throw wrongBody();
  }
  const parsed = bodySchema.safeParse(value);
  if (!parsed.success) throw wrongBody();
  return parsed.data;
}

const wrongBody = () =>
  new GatewayError(
    'BAD_REQUEST',
    `Send a list of 1 to ${maxStreamQueries} queries with different ids: [{"id": "a", "query": "name or UUID", "parameters": {}, "etag": "of the result that you have"}]`,
  );
