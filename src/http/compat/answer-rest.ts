import type { RawParameters } from '../../catalog/binding/bind.ts';
import type { Catalog, SavedQuery } from '../../catalog/saved-query.ts';
import { GatewayError } from '../../errors.ts';
import type { RejectKeys } from '../access/reject-keys-in-urls.ts';
import { variesBy } from '../cache-headers.ts';
import { type Reply, replyJson } from '../reply.ts';
import { endpointOf } from '../rest/rest.ts';
import type { Answer } from '../routes.ts';
import { parametersReader } from './body-parameters.ts';

interface CompatRestOptions {
  readonly catalog: Catalog;
  /** The strict REST API. */
  readonly rest: Answer;
  readonly rejectKeys: RejectKeys;
}

/** REST with the parameters of Logflare's clients: by GET and POST, the last of a repeated one. */
export function buildCompatRest({ catalog, rest, rejectKeys }: CompatRestOptions): Answer {
  const answerGet: Answer = (head, request, admission, readBody) => {
    request.endpoint ??= {
      query: endpointOf(catalog, request),
      parameters: lastOfEach(request.parameters ?? new Map()),
    };
    return rowsOrNone(request.endpoint.query, () => rest(head, request, admission, readBody));
  };
  const answerPost: Answer = async (head, request, admission, readBody) => {
    const query = endpointOf(catalog, request);
    const readParameters = parametersReader(head.headers, new Set(query.parameters.map(({ name }) => name)));
    const fromBody = readParameters(await readBody());
    rejectKeys(fromBody);
    const parameters = lastOfEach(new Map([...(request.parameters ?? []), ...fromBody]));
    const { url, loggedPath } = request;
    const whole = { url, loggedPath, parameters, endpoint: { query, parameters } };
    return notStored(await rowsOrNone(query, () => rest(head, whole, admission, readBody)));
  };
  return (head, ...others) => (head.method === 'POST' ? answerPost : answerGet)(head, ...others);
}

function lastOfEach(parameters: RawParameters): RawParameters {
  return new Map([...parameters].map(([name, values]) => [name, values.slice(-1)]));
}

/**
 * Logflare runs a query without a value that it requires, or with one that it has no case for, and comparisons with it are
 * then true for no row.
 */
function rowsOrNone(query: SavedQuery, reply: () => Reply | Promise<Reply>): Reply | Promise<Reply> {
  const noRows = (error: unknown) => {
    if (selectsNothing(query, error)) return replyJson(200, '{"result":[]}');
    throw error;
  };
  try {
    const replied = reply();
    return replied instanceof Promise ? replied.catch(noRows) : replied;
  } catch (error) {
    return noRows(error);
  }
}

function selectsNothing({ parameters }: SavedQuery, error: unknown): boolean {
  if (!(error instanceof GatewayError)) return false;
  const { code, parameter } = error;
  if (code === 'MISSING_PARAMETER') return true;
  const declared = parameters.find(({ name }) => name === parameter);
  return code === 'INVALID_PARAMETER' && declared?.type === 'enum';
}

/** The response to a POST is not one that a later GET may be answered with. */
function notStored({ status, headers, body }: Reply): Reply {
  const { etag: _etag, age: _age, ...others } = headers;
  return { status, headers: { ...others, 'cache-control': 'private, no-store', vary: variesBy }, body };
}
