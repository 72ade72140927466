import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseRaw } from '../../support/raw-request.ts';
import { type ServedApp, serveTestApp } from '../../support/served-app.ts';
import { apiKey } from '../../support/test-app.ts';

/** Some 18 MB: the system takes less at once of a response that is not read. */
const rowCount = 10_000;
const messageOf = (project: string) => `${project} `.repeat(400);

let served: ServedApp;
beforeAll(async () => {
  served = await serveTestApp({}, 1, {
    rows: ({ parameters }) =>
      Array.from({ length: rowCount }, (_, at) =>
        JSON.stringify({
          id: `${parameters.project} ${at}`,
          timestamp: at,
          event_message: messageOf(String(parameters.project)),
        }),
      ),
  });
});
afterAll(() => served.close());

/** How a client takes its response: at once, only the beginning of it, or when something has happened. */
type Reading = 'at once' | 'broken off' | Promise<unknown>;

function ask(alias: string, project: string, reading: Reading): Promise<string> {
  const query = `{ logsAll(project: "${project}") { rows { ${alias}: id eventMessage } } }`;
  const body = JSON.stringify({ query });
  const head = [
    'POST /graphql HTTP/1.1',
    'Host: gateway.test',
    `X-API-KEY: ${apiKey}`,
    'Content-Type: application/json',
    'Connection: close',
    `Content-Length: ${body.length}`,
  ];
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const socket = connect(served.port, '127.0.0.1', () =>
      socket.write(`${head.join('\r\n')}\r\n\r\n${body}`),
    );
    if (reading instanceof Promise) {
      socket.pause();
      reading.then(() => socket.resume());
    }
    socket.on('data', (chunk) => {
      chunks.push(chunk);
      if (reading === 'broken off') socket.destroy();
    });
    socket.on('error', () => {});
    socket.once('close', () => resolve(Buffer.concat(chunks).toString('latin1')));
  });
}

async function expectOwnRows(alias: string, project: string, reading: Reading): Promise<void> {
  const { status, body } = parseRaw(await ask(alias, project, reading));
  expect(status).toBe(200);
  const rows: Record<string, string>[] = JSON.parse(body).data.logsAll.rows;
  expect(rows).toHaveLength(rowCount);
  const message = messageOf(project);
  const isOwn = (row: (typeof rows)[number], at: number) =>
    row[alias] === `${project} ${at}` && row.eventMessage === message;
  expect(rows.every(isOwn)).toBe(true);
}

test('no response has bytes of another one, however its client reads', async () => {
  for (let round = 0; round < 2; round += 1) {
    const others = Promise.withResolvers<void>();
    const late = expectOwnRows(`a${round}`, 'late', others.promise);
    await ask(`b${round}`, 'broken', 'broken off');
    await expectOwnRows(`c${round}`, 'early', 'at once');
    others.resolve();
    await late;
  }
});
