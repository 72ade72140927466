import { connect } from 'node:net';

export interface Load {
  readonly port: number;
  /** The next request as it goes over the wire, head and body. */
  readonly nextRequest: () => Buffer;
  readonly connections: number;
  readonly ms: number;
}

/** A request over HTTP/1.1 with a body or none. */
export function requestBytes(lines: readonly string[], body = ''): Buffer {
  const length = body === '' ? [] : [`Content-Length: ${Buffer.byteLength(body)}`];
  return Buffer.from(`${[...lines, ...length].join('\r\n')}\r\n\r\n${body}`);
}

/** How many responses a server gives in a second, as `responsesIn` measures it. */
export async function responsesPerSecond(load: Load): Promise<number> {
  const { responses, seconds } = await responsesIn(load);
  return responses / seconds;
}

/**
 * How many responses a server gives in some time to so many connections, each of which sends the next request when it has
 * its response. The client only counts bytes, so that the server is what is measured: clients that parse HTTP in
 * JavaScript cost more than the servers here.
 */
export async function responsesIn({
  port,
  nextRequest,
  connections,
  ms,
}: Load): Promise<{ readonly responses: number; readonly seconds: number }> {
  let responses = 0;
  let ending = false;
  const one = () =>
    new Promise<void>((resolve, reject) => {
      let left = 0;
      const read = (count: number, chunk: Uint8Array): boolean => {
        const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, count);
        left = (left === 0 ? responseLength(bytes) : left) - count;
        if (left < 0) socket.destroy(new Error('the response is longer than its content-length'));
        if (left !== 0) return true;
        responses += 1;
        if (ending) socket.end();
        else socket.write(nextRequest());
        return true;
      };
      const onread = { buffer: Buffer.allocUnsafe(256 * 1024), callback: read };
      const socket = connect({ port, host: '127.0.0.1', onread });
      socket.once('error', reject).once('close', () => resolve());
      socket.write(nextRequest());
    });
  const all = Promise.all(Array.from({ length: connections }, one));
  const started = performance.now();
  setTimeout(() => {
    ending = true;
  }, ms);
  await all;
  return { responses, seconds: (performance.now() - started) / 1000 };
}

/** The bytes of a whole response, by the head that begins it. */
function responseLength(bytes: Buffer): number {
  const end = bytes.indexOf('\r\n\r\n');
  const head = bytes.subarray(0, end).toString('latin1');
  if (end >= 0 && head.startsWith('HTTP/1.1 304 ')) return end + 4;
  const length = /\r\ncontent-length: (?<length>\d+)/i.exec(head)?.groups?.length;
  if (end < 0 || length === undefined || !head.startsWith('HTTP/1.1 200 ')) throw new Error(head);
  return end + 4 + Number(length);
}
