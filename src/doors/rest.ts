import type { Logger } from 'pino';
import type { Answer, Ask } from '../answer/answer.ts';
import { findQuery } from '../answer/find-query.ts';
import { bind } from '../catalog/bind.ts';
import type { Catalog } from '../catalog/saved-query.ts';
import { GatewayError } from '../errors.ts';
import type { Authenticate } from './auth.ts';
import { asksForNew } from './cache-headers.ts';
import type { Incoming } from './incoming.ts';
import { decodeText, rawParameters } from './raw-parameters.ts';
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

const queryPath = /^\/api\/endpoints\/query\/(?<address>[^/]+)$/;

/**
 * The REST door: `GET /api/endpoints/query/<uuid|name>`.
 *
 * @see spec "Common call shape"
 */
export function buildRest(options: RestOptions): (incoming: Incoming, url: URL) => Promise<Reply> {
  return async (incoming, url) => {
    try {
      return replyAnswer(await answer(options, incoming, url), incoming, options.now());
    } catch (error) {
      return replyError(error, options.log);
    }
  };
}

async function answer(
  { catalog, ask, authenticate }: RestOptions,
  { method, header, signal }: Incoming,
  { pathname, search }: URL,
): Promise<Answer> {
  const address = queryPath.exec(pathname)?.groups?.address;
  if (address === undefined) {
    throw new GatewayError(
      'NOT_FOUND',
      'Nothing stands here; endpoints stand at /api/endpoints/query/<name or UUID>',
    );
  }
  if (method !== 'GET' && method !== 'HEAD') {
    throw new GatewayError('METHOD_NOT_ALLOWED', `${method} is not allowed here; use GET`);
  }
  const { mayForce } = authenticate(header);
  const query = findQuery(catalog, decodeText(address));
  const forced = mayForce && asksForNew(header('cache-control'));
  return ask(bind(query, rawParameters(search.slice(1))), { signal, forced });
}
