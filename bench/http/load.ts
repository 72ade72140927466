import { connect } from 'node:net';

export interface Load {
  readonly port: number;
  /** The head of the request, as it goes over the wire, without its last empty line. */
  readonly request: string;
  readonly connections: number;
  readonly ms: number;
}

/**
 * Responses per second over several connections, each of which sends its next request when it has received a response.
 * The client only counts bytes, so that the server is what is measured: clients that parse HTTP in JavaScript cost more
 * than the servers here.
 */
export async function responsesPerSecond({ port, request, connections, ms }: Load): Promise<number> {
  let responses = 0;
  let ending = false;
  const head = Buffer.from(`${request}\r\n\r\n`);
  const one = () =>
    new Promise<void>((resolve, reject) => {
      let left = 0;
      const read = (count: number, chunk: Uint8Array): boolean => {
        const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, count);
        left = (left === 0 ? lengthOf(bytes) : left) - count;
        if (left < 0) socket.destroy(new Error('received more than one response'));
        if (left !== 0) return true;
        responses += 1;
        if (ending) socket.end();
        else socket.write(head);
        return true;
      };
      const onread = { buffer: Buffer.allocUnsafe(256 * 1024), callback: read };
      const socket = connect({ port, host: '127.0.0.1', onread });
      socket.once('error', reject).once('close', () => resolve());
      socket.write(head);
    });
  const all = Promise.all(Array.from({ length: connections }, one));
  const started = performance.now();
  setTimeout(() => {
    ending = true;
  }, ms);
  await all;
  return responses / ((performance.now() - started) / 1000);
}

/** The byte length of a whole response, by its head. */
function lengthOf(bytes: Buffer): number {
  const end = bytes.indexOf('\r\n\r\n');
  const head = bytes.subarray(0, end).toString('latin1');
  const length = /\r\ncontent-length: (?<length>\d+)/i.exec(head)?.groups?.length;
  if (end < 0 || length === undefined || !/^HTTP\/1\.1 200 /.test(head)) throw new Error(head);
  return end + 4 + Number(length);
}
