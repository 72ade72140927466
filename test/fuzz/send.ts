import { connect } from 'node:net';

/** What came back for one request. */
export interface Sent {
  /** Of all answers on its connection. */
  readonly statuses: readonly number[];
  /** How long the first answer took, from when all was said that would be. */
  readonly ms: number;
}

/** How long a connection may be open: beyond the server's own limits. */
const patienceMs = 15_000;

/** How long the server may say nothing before it is told that no more will come: it may wait for more, rightly. */
const silenceMs = { first: 1_000, further: 50 };

/** Sends bytes on a connection of their own, and reads until the server closes it. */
export function send(port: number, bytes: Buffer): Promise<Sent> {
  let said = performance.now();
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    let text = '';
    let ms = 0;
    // Not at once: Node takes the end of a connection for the caller's leaving.
    let silence = setTimeout(() => {
      said = performance.now();
      socket.end();
    }, silenceMs.first);
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      if (text === '') ms = performance.now() - said;
      text += chunk;
      clearTimeout(silence);
      silence = setTimeout(() => socket.end(), silenceMs.further);
    });
    // A refusal closes while there is more to come.
    socket.on('error', () => socket.destroy());
    socket.setTimeout(patienceMs, () => socket.destroy());
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
