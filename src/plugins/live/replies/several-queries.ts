import { z } from 'zod';
import type { Admission } from '../../../call/caller.ts';
import { EndpointRequest } from '../../../call/endpoint-request.ts';
import { requireEndpoint } from '../../../call/gate.ts';
import { textsOfValues } from '../../../catalog/binding/rounded-numbers.ts';
import { findQuery, lookUpQuery } from '../../../catalog/model/find-query.ts';
import type { Catalog } from '../../../catalog/model/saved-query.ts';
import { GatewayError } from '../../../errors.ts';
import { describeIssue, schemaProblems } from '../../../files/schema-problems.ts';
import type { RouteHost } from '../../../gateway/plugin.ts';
import { requireBodyType } from '../../../http/message/body/body-type.ts';
import type { RequestHead } from '../../../http/message/head.ts';
import { httpLimits } from '../../../http/message/http-limits.ts';
import { problemText } from '../../../http/message/reply.ts';
import type { Answer } from '../../../http/message/route.ts';
import { streamHeaders } from '../../../http/accepted-stream.ts';
import { Frame } from '../../../http/message/stream/frame.ts';
import { requestsWhole } from '../../../http/rest/row-parameters.ts';
import { parameterWarning, refuseUndeclared } from '../../../http/rest/undeclared-parameters.ts';
import { memoize } from '../../../memoize.ts';
import { endFrame, etagOf, eventFrame, hasLineBreak, knownDigest } from '../events/event-frames.ts';
import type { Variant } from '../events/variant.ts';
import { onlyWhole, requireFollowable } from '../followable.ts';
import type { Followed, Live } from '../followed.ts';
import { liveLimits } from '../live-limits.ts';
import type { StreamKind } from '../stream.ts';

const { maxParameters, maxListValues } = httpLimits;
const { maxStreamQueries } = liveLimits;

type Scalar = string | number | boolean;

/** Not `z.union`, which takes half a second for a list of wrong values that is as long as a body may be. */
const isScalar = (value: unknown): value is Scalar =>
  typeof value === 'string' ||
  typeof value === 'boolean' ||
  // JSON has read another integer than the one that was sent.
  (typeof value === 'number' &&
    Number.isFinite(value) &&
    (!Number.isInteger(value) || Number.isSafeInteger(value)));

type ItemParameters = Readonly<Record<string, Scalar | readonly Scalar[]>>;

/** As many values as in a query string. */
function parametersProblem(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return 'must be an object, as in {"project": "abc"}';
  return problemOfMembers(value).text;
}

/** Computed once, although Zod calls the check and then its message. */
const problemOfMembers = memoize((value: object): { readonly text: string | undefined } => {
  // The entries of as many names as a body may have take four times as long.
  const { length } = Object.keys(value);
  return {
    text:
      length > maxParameters
        ? `has ${length} parameters; the limit is ${maxParameters}`
        : problemOfValues(Object.entries(value)),
  };
});

function problemOfValues(
  parameters: readonly (readonly [name: string, value: unknown])[],
): string | undefined {
  const inLists = parameters.reduce((sum, [, one]) => sum + (Array.isArray(one) ? one.length : 0), 0);
  if (inLists > maxListValues) return `has ${inLists} values in lists; the limit is ${maxListValues}`;
  const wrong = parameters.find(([, one]) => ![one].flat().every(isScalar));
  return (
    wrong &&
    `${wrong[0]}: must be a text, a number, true, false, or a list of them; integers beyond 2^53 are texts`
  );
}

const listSchema = z.array(z.unknown()).min(1);

const itemSchema = z.strictObject({
  id: z.string().min(1).max(100),
  query: z.string().min(1).max(200),
  parameters: z
    .custom<ItemParameters>((value) => parametersProblem(value) === undefined, {
      error: ({ input }) => parametersProblem(input),
    })
    .default({}),
  etag: z.string().max(200).optional(),
});

type Item = z.output<typeof itemSchema>;

/** One of the queries, or why it cannot be followed. */
type Opened =
  | { readonly item: Item; readonly followed: Followed }
  | { readonly item: Item; readonly error: unknown };

/** Answers `POST /api/live`: one stream with the results of several queries. */
export function buildSeveralQueries(
  catalog: Catalog,
  live: Live,
  { open, obtainFollowed, audit, shown }: RouteHost,
): Answer {
  const openOne = async (item: Item, head: RequestHead, admission: Admission): Promise<Opened> => {
    try {
      const query = findQuery(catalog, item.query);
      requireEndpoint(admission.principal, query);
      const declared = new Map(query.parameters.map((parameter) => [parameter.name, parameter]));
      const parameters = new Map(
        Object.entries(item.parameters).map(([name, value]) => [
          name,
          textsOfValues(declared.get(name), value),
        ]),
      );
      const endpoint = new EndpointRequest(query, parameters);
      refuseUndeclared(admission.principal, endpoint);
      const call = await open(endpoint, { head, admission });
      requireFollowable(call.bound);
      if (!requestsWhole(call)) throw onlyWhole();
      const { document } = await obtainFollowed(call);
      const { text } = parameterWarning(endpoint);
      const request = {
        id: item.id,
        endpoint,
        resolve: queryNamed(item.query),
        variant: taggedResults,
        knownDigest: knownDigest(document, item.etag),
        head: new Frame([
          `data: ${JSON.stringify({ id: item.id, ...(text && { warning: text }) }).slice(0, -1)},`,
        ]),
      };
      return { item, followed: { request, call, document } };
    } catch (error) {
      audit(error, head, admission.principal.id);
      return { item, error };
    }
  };
  return async (head, _request, admission, readBody) => {
    // Our choice: any media type, as curl sends JSON with --data.
    requireBodyType(head.headers, undefined);
    const items = parseBody(await readBody());
    const opened = await Promise.all(items.map((item) => openOne(item, head, admission)));
    const followed = opened.flatMap((one) => ('followed' in one ? [one.followed] : []));
    const failed = opened.flatMap((one) => ('error' in one ? [one] : []));
    const [first] = failed;
    // As a request for each of them would be answered.
    if (followed.length === 0 && first !== undefined) throw first.error;
    const firstFrames = failed.map(({ item, error }) =>
      eventFrame(
        'error',
        undefined,
        `{"id":${JSON.stringify(item.id)},${problemText(shown(error, head)).slice(1)}`,
      ),
    );
    const body = live.stream(head, admission, followed, { ...severalQueries, firstFrames });
    return { status: 200, headers: streamHeaders, body };
  };
}

// Streams keep what is made here, where there is no catalog that they would keep too.

const severalQueries: StreamKind = {
  endFrame,
  endOfOne: (code, { request }) => endFrame(code, request.id),
};

const queryNamed = (name: string) => (catalog: Catalog) => lookUpQuery(catalog, name);

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
    // Without a byte-order mark.
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    throw wrongBody('The body is not JSON');
  }
  // Before its queries, of which there may be as many as the body has bytes.
  if (Array.isArray(value) && value.length > maxStreamQueries)
    throw wrongBody(`The body has ${value.length} queries; the limit is ${maxStreamQueries}`);
  const items = parseIn([], listSchema, value).map((item, at) => parseIn([at], itemSchema, item));
  const ids = items.map(({ id }) => id);
  const twice = ids.findIndex((id, at) => ids.indexOf(id) !== at);
  if (twice >= 0) throw wrongBody(`${twice}.id: another query has it too`);
  return items;
}

/** Items behind a wrong one are not read: to name what is wrong in each would take long. */
function parseIn<T>(place: readonly number[], schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value, { error: describeIssue });
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.map((issue) => ({ ...issue, path: [...place, ...issue.path] }));
  const [{ path, message } = { path: [], message: '' }] = schemaProblems({ issues });
  throw wrongBody(`${path.length === 0 ? 'The body ' : ''}${message.slice(0, maxProblemLength)}`);
}

/** Names in it are the caller's. */
const maxProblemLength = 300;

const wrongBody = (problem: string) =>
  new GatewayError(
    'BAD_REQUEST',
    `${problem}; send a list of 1 to ${maxStreamQueries} queries with different ids: [{"id": "a", "query": "name or UUID", "parameters": {}, "etag": "of the result that you have"}]`,
  );
