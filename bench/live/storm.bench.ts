import { once } from 'node:events';
import { atMost } from '../goals.ts';
import type { Bench } from '../run.ts';
import { LiveServer, tick } from './live-server.ts';

const parts = 100;
const clients = 10_000;

const bench: Bench = {
  title: '10,000 clients that come back at once, and 1,000 that never read',
  async *run() {
    const { backMs, retries, runs } = await reconnect();
    yield atMost(
      `10,000 clients are back after: ${Math.round(backMs)} ms, ${retries} of them refused at first`,
      backMs,
      10_000,
    );
    yield atMost(`engine runs for it: ${runs}`, runs, 0);
    const { megabytes, p99Ms, p99AloneMs } = await withoutReading();
    yield atMost(
      `memory for 1,000 that do not read results of 2 MB: ${megabytes.toFixed(1)} MB`,
      megabytes,
      50,
    );
    yield `from a result to the others, 99 % of them: ${Math.round(p99Ms)} ms, without those ${Math.round(p99AloneMs)} ms`;
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
  const before = await server.usage();
  server.disconnectAll();
  while (server.sockets.size > 0) await tick();
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: clients }, (_, at) => connect(at)));
  const backMs = performance.now() - startedAt;
  const after = await server.usage();
  server.stop();
  return { backMs, retries, runs: after.runs - before.runs };
}

/** Ten results pass, with and without the clients that do not read. */
async function withoutReading() {
  const server = await LiveServer.start('gateway', { interval: '2s', textLength: 2_000_000 });
  let latencies: number[] = [];
  for (let at = 0; at < 5; at += 1) {
    const socket = await server.follow(1);
    socket.on('data', (data: Buffer) => {
      const [, time] = /"at":([\d.]+)/.exec(data.toString('latin1', 0, 200)) ?? [];
      if (time !== undefined) latencies.push(performance.timeOrigin + performance.now() - Number(time));
    });
  }
  const rounds = async () => {
    latencies = [];
    for (let round = 0; round < 10; round += 1) {
      server.change();
      await new Promise((done) => setTimeout(done, 2_500));
    }
    const p99Ms = latencies.sort((a, b) => a - b)[Math.floor(0.99 * latencies.length)] ?? Number.NaN;
    return { p99Ms, rss: (await server.memory()).rss };
  };
  const alone = await rounds();
  for (let at = 0; at < 1_000; at += 1) (await server.follow(0)).pause();
  const beside = await rounds();
  server.stop();
  return {
    megabytes: (beside.rss - alone.rss) / 1e6,
    p99Ms: beside.p99Ms,
    p99AloneMs: alone.p99Ms,
  };
}
