import type { Logger } from 'pino';
import { findQuery } from '../../catalog/find-query.ts';
import type { Catalog } from '../../catalog/saved-query.ts';
import { GatewayError } from '../../errors.ts';
import type { GetResult } from '../../results/get-result.ts';
import { type Admission, admit } from '../access/admission.ts';
import type { Authenticate } from '../access/authenticate.ts';
import { type Asked, questionFor } from '../access/authorize.ts';
import type { RequestHead } from '../head.ts';
import { type Reply, replyAnswer, replyError } from '../reply.ts';
import { withLabels } from '../request-labels.ts';
import { decodeText, rawParameters } from './query-string.ts';

export interface RestOptions {
  readonly catalog: Catalog;
  readonly ask: GetResult;
  readonly authenticate: Authenticate;
  readonly log: Logger;
  readonly now: () => Date;
}

/** Everything under this path is answered in JSON. */
export const apiPath = '/api/';

/** A saved query's name or UUID follows. */
export const queriesPath = '/api/endpoints/query/';

const queryPath = /^\/api\/endpoints\/query\/(?<address>[^/]+)$/;

/**
 * The REST door: `GET /api/endpoints/query/<uuid|name>`.
 *
 * @see spec "Common call shape"
 */
export function buildRest(options: RestOptions): (incoming: RequestHead, url: URL) => Promise<Reply> {
  const { ask, authenticate, log, now } = options;
  const read = buildRead(options.catalog);
  return async (incoming, url) => {
    let visit: Admission | undefined;
    try {
      const { method, header } = incoming;
      const address = addressOf(url);
      if (method !== 'GET' && method !== 'HEAD') {
        throw new GatewayError('METHOD_NOT_ALLOWED', `${method} is not allowed here; use GET`);
      }
      visit = admit(authenticate(incoming), incoming, now);
      if (visit.refusal !== undefined) throw visit.refusal;
      const { holder, forced, inTurn } = visit;
      const bound = withLabels(questionFor(holder, read(address, url)), header);
      const answer = await inTurn(() => ask(bound, { caller: incoming, noCache: forced }), incoming);
      return tell(visit, replyAnswer(answer, incoming, now()));
    } catch (error) {
      return tell(visit, replyError(error, log));
    }
  };
}

function tell(visit: Admission | undefined, reply: Reply): Reply {
  if (visit?.holder.rateLimiter === undefined) return reply;
  return { ...reply, headers: { ...reply.headers, ...visit.headers } };
}

function addressOf({ pathname }: URL): string {
  const address = queryPath.exec(pathname)?.groups?.address;
  if (address !== undefined) return address;
  throw new GatewayError(
    'NOT_FOUND',
    'Nothing stands here; endpoints stand at /api/endpoints/query/<name or UUID>',
  );
}

/** Reads what a URL asks, whoever asks it; a URL that comes again needs no reading. */
function buildRead(catalog: Catalog): (address: string, url: URL) => Asked {
  const known = new WeakMap<URL, Asked>();
  return (address, url) => {
    const read = known.get(url) ?? {
      query: findQuery(catalog, decodeText(address)),
      raw: rawParameters(url.search.slice(1)),
    };
    known.set(url, read);
    return read;
  };
}
