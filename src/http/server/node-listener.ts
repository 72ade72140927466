import type { RequestListener } from 'node:http';
import { turns } from '../../concurrency/turns.ts';
import { bodyOfNode } from '../body.ts';
import type { Handler } from '../handle.ts';
import { headOfNode } from '../head.ts';

/** The handler as a listener of Node's server, without Request and Response: they would cost more than a cached reply. */
export function buildNodeListener(handle: Handler): RequestListener {
  return async (message, response) => {
    const { status, rawHeaders, body } = await handle(headOfNode(message, response), () =>
      bodyOfNode(message),
    );
    const turn = body !== undefined && body.length >= largeBody ? turns.claim() : undefined;
    if (turn !== undefined) await turn;
    // Node omits the body of a response to HEAD.
    response.writeHead(status, rawHeaders as string[]).end(body);
  };
}

/** Writing a body copies it to the kernel, some milliseconds for 3 MB. */
const largeBody = 65_536;
