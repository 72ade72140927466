import { once } from 'node:events';
import type { Socket } from 'node:net';
import { atMost } from '../goals.ts';
import type { Bench } from '../run.ts';
import { LiveServer, p99Of, tick } from './live-server.ts';

const parts = 100;
const clients = 10_000;

const bench: Bench = {
  title: '10,000 clients that come back at once, and 1,000 that never read',
  async *run() {
    const { backMs, cpuMs, retries, runs } = await reconnect();
    yield atMost(
      `10,000 clients are back after: ${Math.round(backMs)} ms, ${retries} of them refused at first`,
      backMs,
      10_000,
    );
    yield `processor time for it: ${Math.round(cpuMs)} ms, ${Math.round((cpuMs * 1_000) / clients)} µs a client`;
    yield atMost(`engine runs for it: ${runs}`, runs, 0);
    const { megabytes, alone, beside } = await withoutReading();
    yield atMost(
      `memory for 1,000 that do not read results of 2 MB: ${megabytes.toFixed(1)} MB`,
      megabytes,
      50,
    );
    yield besides('from a result to the others', beside.eventsMs, alone.eventsMs);
    yield besides('a cached request', beside.requestsMs, alone.requestsMs);
  },
};

export default bench;

async function reconnect() {
  const server = await LiveServer.start('gateway', { interval: '600s' });
  /** The `id` of each part's result. */
  const ids: string[] = [];
  for (let part = 0; part < parts; part += 1) {
    const [data] = (await once(await server.follow(part), 'data')) as [Buffer];
    ids.push(/^id: (.+)$/m.exec(data.toString())?.[1] ?? '');
  }
  let retries = 0;
  const connect = async (at: number) => {
    for (;;) {
      try {
        const socket = await server.follow(at % parts, `Last-Event-ID: ${ids[at % parts]}\r\n`);
        // The head and a sign of life.
        await once(socket, 'data');
        return;
      } catch {
        // While the connections from before are being closed, there may be more than the server accepts.
        retries += 1;
        await new Promise((done) => setTimeout(done, 1_000));
      }
    }
  };
  for (let at = parts; at < clients; at += 100)
    await Promise.all(Array.from({ length: 100 }, (_, more) => connect(at + more)));
  server.disconnectAll();
  while (server.sockets.size > 0) await tick();
  const before = await server.usage();
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: clients }, (_, at) => connect(at)));
  const backMs = performance.now() - startedAt;
  const after = await server.usage();
  server.stop();
  return { backMs, cpuMs: after.cpuMs - before.cpuMs, retries, runs: after.runs - before.runs };
}

/** What others wait, 99 % of them, with and without the clients that do not read. */
const besides = (what: string, ms: readonly number[], aloneMs: readonly number[]) => {
  const [p99, p99Alone] = [p99Of(ms), p99Of(aloneMs)];
  return atMost(
    `${what}, 99 %: ${p99.toFixed(1)} ms, without those ${p99Alone.toFixed(1)} ms, ratio ${(p99 / p99Alone).toFixed(2)}`,
    p99 / p99Alone,
    1.5,
  );
};

/** Four results pass without the clients that do not read, and four with them, in turns. */
async function withoutReading() {
  const server = await LiveServer.start('gateway', { interval: '2s', textLength: 2_000_000 });
  let eventsMs: number[] = [];
  for (let at = 0; at < 5; at += 1) {
    // Both results are computed also while nobody else follows them.
    const socket = await server.follow(at % 2);
    socket.on('data', (data: Buffer) => {
      const [, time] = /"at":([\d.]+)/.exec(data.toString('latin1', 0, 200)) ?? [];
      if (time !== undefined) eventsMs.push(performance.timeOrigin + performance.now() - Number(time));
    });
  }
  const send = async (results: number) => {
    for (let result = 0; result < results; result += 1) {
      server.change();
      await new Promise((done) => setTimeout(done, 2_500));
    }
  };
  const rounds = async (others: Others) => {
    await server.probed();
    eventsMs = [];
    await send(4);
    others.eventsMs.push(...eventsMs);
    others.requestsMs.push(...(await server.probed()).map(({ ms }) => ms));
    return (await server.memory()).rss;
  };
  const [alone, beside]: readonly [Others, Others] = [
    { eventsMs: [], requestsMs: [] },
    { eventsMs: [], requestsMs: [] },
  ];
  let bytes = 0;
  for (let turn = 0; turn < 2; turn += 1) {
    const before = await rounds(alone);
    const sockets: Socket[] = [];
    for (let at = 0; at < 1_000; at += 1) sockets.push((await server.follow(0)).pause());
    // Until the system keeps no more for them, they are like others.
    await send(4);
    bytes = Math.max(bytes, (await rounds(beside)) - before);
    for (const socket of sockets) socket.destroy();
    while (server.sockets.size > 5) await tick();
  }
  server.stop();
  return { megabytes: bytes / 1e6, alone, beside };
}

interface Others {
  readonly eventsMs: number[];
  readonly requestsMs: number[];
}
