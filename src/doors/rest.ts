import type { Logger } from 'pino';
import type { Answer, Ask } from '../answer/answer.ts';
import { findQuery } from '../answer/find-query.ts';
import { bind } from '../catalog/bind.ts';
import type { Catalog } from '../catalog/saved-query.ts';
import { GatewayError } from '../errors.ts';
import type { Authenticate } from './auth.ts';
import { decodeText, rawParameters } from './raw-parameters.ts';
import { requestLabels } from './request-labels.ts';
import { respondAnswer, respondError } from './respond.ts';

export interface RestOptions {
  readonly catalog: Catalog;
  readonly ask: Ask;
  readonly authenticate: Authenticate;
  readonly log: Logger;
}

/** Everything under this path is answered in JSON. */
export const apiPath = '/api/';

const queryPath = /^\/api\/endpoints\/query\/(?<address>[^/]+)$/;

/**
 * The REST door: `GET /api/endpoints/query/<uuid|name>`.
 *
 * @see spec "Common call shape"
 */
export function buildRest(options: RestOptions): (request: Request, url: URL) => Promise<Response> {
  return async (request, url) => {
    try {
      return respondAnswer(await answer(options, request, url));
    } catch (error) {
      return respondError(error, options.log);
    }
  };
}

async function answer(
  { catalog, ask, authenticate }: RestOptions,
  request: Request,
  url: URL,
): Promise<Answer> {
  const address = queryPath.exec(url.pathname)?.groups?.address;
  if (address === undefined) {
    throw new GatewayError(
      'NOT_FOUND',
      'Nothing stands here; endpoints stand at /api/endpoints/query/<name or UUID>',
    );
  }
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    throw new GatewayError('METHOD_NOT_ALLOWED', `${request.method} is not allowed here; use GET`);
  }
  authenticate(request.headers);
  const query = findQuery(catalog, decodeText(address));
  const bound = bind(query, rawParameters(url.search.slice(1)));
  return ask({ ...bound, ...requestLabels(query, request.headers) }, request.signal);
}
