import { atMost } from '../goals.ts';
import { LiveServer } from './live-server.ts';

// `npx node bench/live/soak.ts 5`: clients come and go for so many minutes, 15 by default, each result changes every five seconds, and
// what is in memory stays the same.
const minutes = Number(process.argv[2] ?? 15);
const clients = 1_000;
const parts = 100;
/** A fifth of the clients in a minute. */
const replacedEachSecond = clients / 5 / 60;
const sampleEverySeconds = 15;

const server = await LiveServer.start('gateway');

/** Each fourth client of a kind: whole results, changed rows, GraphQL, and two queries in one stream. */
function request(at: number): string {
  const part = at % parts;
  const path = `/api/endpoints/query/parts?part=${part}`;
  const post = (to: string, body: string) =>
    `POST ${to} HTTP/1.1\r\nContent-Type: application/json\r\nAccept: text/event-stream\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  const named = (id: number) => ({
    id: String(id),
    query: 'parts',
    parameters: { part: String((part + id) % parts) },
  });
  const kinds = [
    () => `GET ${path} HTTP/1.1\r\nAccept: text/event-stream\r\n\r\n`,
    () => `GET ${path} HTTP/1.1\r\nAccept: text/event-stream;delta=rows\r\n\r\n`,
    () =>
      post(
        '/graphql',
        JSON.stringify({ query: `subscription { parts(part: "${part}") { rows { version at } } }` }),
      ),
    () => post('/api/live', JSON.stringify([named(0), named(1)])),
  ];
  return kinds[Math.floor(at / parts) % kinds.length]?.() ?? '';
}

let opened = 0;
let bytes = 0;
const open = async () => {
  const socket = await server.send(request(opened));
  opened += 1;
  socket.on('data', (data: Buffer) => {
    bytes += data.byteLength;
  });
};

while (opened < clients) await open();
const samples: number[] = [];
for (let second = 1; second <= minutes * 60; second += 1) {
  await new Promise((done) => setTimeout(done, 1_000));
  if (second % 5 === 0) server.change();
  const due = Math.floor(second * replacedEachSecond) + clients - opened;
  for (const socket of [...server.sockets].slice(0, due)) socket.destroy();
  for (let more = 0; more < due; more += 1) await open();
  if (second % sampleEverySeconds !== 0) continue;
  const { heapUsed, external, rss } = await server.memory();
  samples.push(heapUsed + external);
  const mb = (count: number) => (count / 1e6).toFixed(1);
  process.stdout.write(
    `${second} s: heap ${mb(heapUsed)} MB, external ${mb(external)} MB, rss ${mb(rss)} MB, ${opened} opened, ${mb(bytes)} MB received\n`,
  );
}
server.stop();

const mean = (some: readonly number[]) => some.reduce((sum, one) => sum + one, 0) / some.length;
// The first minute fills caches and compiles.
const settled = samples.slice(60 / sampleEverySeconds);
const quarter = Math.max(1, Math.floor(settled.length / 4));
const growth = mean(settled.slice(-quarter)) / mean(settled.slice(0, quarter));
process.stdout.write(
  `${atMost(`the last quarter's memory is ${growth.toFixed(3)} times that of the first after a minute`, growth, 1.05)}\n`,
);
