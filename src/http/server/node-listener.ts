import type { RequestListener, ServerResponse } from 'node:http';
import { createServerAdapter } from '@whatwg-node/server';
import type { InFlightLimit } from '../access/in-flight-limit.ts';
import { isOperation, type Router } from '../handle.ts';
import { buildParseUrl, headOfNode } from '../head.ts';
import type { Reply } from '../reply.ts';

/**
 * The doors on a socket. What is no GraphQL goes from Node's own objects to Node's own objects: a Request and a Response
 * between them would cost more than the answer.
 */
export function buildNodeFront(router: Router, crowd: InFlightLimit): RequestListener {
  const fetch = createServerAdapter(router.fetch);
  const parseUrl = buildParseUrl();
  return async (message, response) => {
    const incoming = headOfNode(message, response, parseUrl);
    if (!isOperation(incoming)) {
      return send(await crowd.count(() => router.reply(incoming)), response);
    }
    // The adapter takes every target for a path.
    message.url = `${incoming.url?.pathname}${incoming.url?.search}`;
    await crowd.count(async () => fetch(message, response));
  };
}

function send({ status, headers, body }: Reply, response: ServerResponse): void {
  // Node leaves out the body of what answers HEAD.
  response.writeHead(status, headers).end(body);
}
