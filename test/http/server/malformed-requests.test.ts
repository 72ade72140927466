import { pino } from 'pino';
import { expect, test } from 'vitest';
import { openServer } from '../../../src/http/node/open-server.ts';
import { listen } from '../../support/listen.ts';
import { parseRaw, sendRaw } from '../../support/raw-request.ts';

test('a request that the parser rejects is a line of the log, with its id', async () => {
  const lines: string[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(line) });
  const { server } = openServer(() => {}, { log });
  const port = await listen(server);
  const { headers, status } = parseRaw(
    await sendRaw(port, `GET / HTTP/1.1\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`),
  );
  server.close();
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({
      level: 30,
      msg: 'malformed request',
      requestId: headers['x-request-id'],
      status,
      code: 'HEADERS_TOO_LARGE',
    }),
  ]);
});
