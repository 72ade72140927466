import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { openServer } from '../../../src/http/node/open-server.ts';
import { listen } from '../../support/listen.ts';
import { parseRaw, sendRaw } from '../../support/raw-request.ts';

function openLog() {
  const lines: Record<string, unknown>[] = [];
  const write = (line: string) => void lines.push(JSON.parse(line));
  return { log: pino({ level: 'debug' }, { write }), lines };
}

async function serve({ log }: ReturnType<typeof openLog>) {
  const { server } = openServer(() => {}, { log });
  return { server, port: await listen(server) };
}

test('a request that the parser rejects is a line of the log, with its id and address', async () => {
  const opened = openLog();
  const { server, port } = await serve(opened);
  const { headers, status } = parseRaw(
    await sendRaw(port, `GET / HTTP/1.1\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`),
  );
  server.close();
  expect(opened.lines).toEqual([
    expect.objectContaining({
      level: 30,
      msg: 'malformed request',
      requestId: headers['x-request-id'],
      status,
      code: 'HEADERS_TOO_LARGE',
      address: '127.0.0.1',
    }),
  ]);
});

test.each([
  ['nothing', '', 20],
  ['a part of a head', 'GET / HTTP/1.1\r\n', 30],
])('a connection that sent %s until its time was over', async (_, sent, level) => {
  const opened = openLog();
  const { server, port } = await serve(opened);
  const client = connect(port, '127.0.0.1').resume();
  const [socket] = (await once(server, 'connection')) as [Socket];
  client.write(sent);
  await expect.poll(() => socket.bytesRead).toBe(sent.length);
  server.emit('clientError', Object.assign(new Error('late'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), socket);
  await once(client, 'close');
  server.close();
  const line = { level, msg: 'request timed out', status: 408, address: '127.0.0.1' };
  expect(opened.lines).toEqual([expect.objectContaining(line)]);
});
