import { connect } from 'node:net';

export interface RawResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What a server sends back for bytes that no HTTP client would send, until it closes the connection. */
export const sendRaw = (port: number, ...parts: readonly (string | Buffer)[]) =>
  sendUntil(undefined, port, ...parts);

/** The same, until the response has some text. */
export async function sendUntil(
  text: string | undefined,
  port: number,
  ...parts: readonly (string | Buffer)[]
): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  // A server that rejects early closes the connection while more is being sent.
  socket.on('error', () => socket.destroy());
  for (const part of parts) socket.write(part);
  const chunks: Buffer[] = [];
  await new Promise<void>((resolve) => {
    socket.on('data', (chunk) => {
      chunks.push(chunk);
      if (text !== undefined && Buffer.concat(chunks).includes(text)) socket.destroy();
    });
    socket.once('close', () => resolve());
  });
  return Buffer.concat(chunks).toString();
}

/** The first response in some bytes, its body as it came. */
export function parseRaw(text: string): RawResponse {
  const end = text.indexOf('\r\n\r\n');
  const [first = '', ...lines] = text.slice(0, end).split('\r\n');
  const headers = lines.map((line) => {
    const at = line.indexOf(':');
    return [line.slice(0, at).toLowerCase(), line.slice(at + 1).trim()] as const;
  });
  return {
    status: Number(/^HTTP\/1\.1 (?<status>\d{3})/.exec(first)?.groups?.status),
    headers: Object.fromEntries(headers),
    body: text.slice(end + 4),
  };
}
