import { connect } from 'node:net';

/** The response to one request. */
export interface Sent {
  /** Of all responses on its connection. */
  readonly statuses: readonly number[];
  /** How long the first response took, from when the request was complete. */
  readonly ms: number;
}

/** How long a connection may be open: longer than the server's own limits. */
const timeoutMs = 15_000;

/**
 * How long the server may be silent before the client half-closes: it may rightly wait for more bytes, or be a busy machine on
 * which a query takes seconds.
 */
const silenceMs = { first: 5_000, further: 50 };

/** Sends bytes on a connection of their own, and reads until the server closes it. */
export function send(port: number, bytes: Buffer): Promise<Sent> {
  let completeAt = performance.now();
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    let text = '';
    let ms = 0;
    // Not at once: Node treats a half-closed connection as a disconnected caller.
    let silence = setTimeout(() => {
      completeAt = performance.now();
      socket.end();
    }, silenceMs.first);
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      if (text === '') ms = performance.now() - completeAt;
      text += chunk;
      clearTimeout(silence);
      silence = setTimeout(() => socket.end(), silenceMs.further);
    });
    // The server may close before everything was sent.
    socket.on('error', () => socket.destroy());
    socket.setTimeout(timeoutMs, () => socket.destroy());
    socket.once('end', () => socket.destroy());
    socket.once('close', () => {
      clearTimeout(silence);
      const statuses = [...text.matchAll(/(?:^|\r\n|\})HTTP\/1\.1 (\d{3}) /g)].map(([, status]) =>
        Number(status),
      );
      resolve({ statuses, ms });
    });
    socket.write(bytes);
  });
}
