import { Readable } from 'node:stream';
import type { Handler } from '../handler/handle.ts';
import { bodyOfFetch } from '../message/body.ts';
import { headOfFetch } from '../message/head.ts';

/** The handler as a Fetch handler, for tests and for servers other than Node's. */
export function buildFetch(handle: Handler): (request: Request) => Promise<Response> {
  return async (request) => {
    const { status, headers, body } = await handle(headOfFetch(request), () => bodyOfFetch(request));
    const init = { status, headers: [...headers.entries()] };
    if (body instanceof Readable) return new Response(Readable.toWeb(body) as ReadableStream, init);
    const hasBody = request.method !== 'HEAD' && body !== undefined;
    return new Response(hasBody ? new Uint8Array(Buffer.from(body as Uint8Array)) : null, init);
  };
}
