import type { Logger } from 'pino';
import type { Ask } from '../answer/answer.ts';
import { findQuery } from '../answer/find-query.ts';
import { type Bound, bind } from '../catalog/bind.ts';
import type { Catalog } from '../catalog/saved-query.ts';
import { GatewayError } from '../errors.ts';
import type { Authenticate } from './auth.ts';
import { asksForNew } from './cache-headers.ts';
import type { Incoming } from './incoming.ts';
import { decodeText, rawParameters } from './raw-parameters.ts';
import { withLabels } from './request-labels.ts';
import { type Reply, replyAnswer, replyError } from './respond.ts';

export interface RestOptions {
  readonly catalog: Catalog;
  readonly ask: Ask;
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
export function buildRest(options: RestOptions): (incoming: Incoming, url: URL) => Promise<Reply> {
  const { ask, authenticate, log, now } = options;
  const read = buildRead(options.catalog);
  return async (incoming, url) => {
    try {
      const { method, header } = incoming;
      const address = addressOf(url);
      if (method !== 'GET' && method !== 'HEAD') {
        throw new GatewayError('METHOD_NOT_ALLOWED', `${method} is not allowed here; use GET`);
      }
      const { mayForce } = authenticate(header);
      const forced = mayForce && asksForNew(header('cache-control'));
      const bound = withLabels(read(address, url), header);
      return replyAnswer(await ask(bound, { incoming, forced }), incoming, now());
    } catch (error) {
      return replyError(error, log);
    }
  };
}

function addressOf({ pathname }: URL): string {
  const address = queryPath.exec(pathname)?.groups?.address;
  if (address !== undefined) return address;
  throw new GatewayError(
    'NOT_FOUND',
    'Nothing stands here; endpoints stand at /api/endpoints/query/<name or UUID>',
  );
}

/** Reads the question that a URL asks; a URL that comes again needs no reading. */
function buildRead(catalog: Catalog): (address: string, url: URL) => Bound {
  const known = new WeakMap<URL, Bound>();
  return (address, url) => {
    const read =
      known.get(url) ?? bind(findQuery(catalog, decodeText(address)), rawParameters(url.search.slice(1)));
    known.set(url, read);
    return read;
  };
}
