import { median } from '../compare.ts';
import { atLeast, atMost } from '../goals.ts';
import type { Bench } from '../run.ts';
import { LiveServer, p99Of, tick } from './live-server.ts';

const parts = 100;
/** Of a side; what other processes of the machine do in one of them is not in the median. */
const rounds = 7;
/** As in the header of the query. */
const intervalMs = 5_000;

const bench: Bench = {
  title: '10,000 clients that follow 100 results of 2 KB, beside a bare broadcaster in one loop',
  async *run() {
    const bare = await measure('bare', 10_000);
    const gateway = await measure('gateway', 10_000);
    const memory = gateway.bytesPerClient / bare.bytesPerClient;
    yield atMost(
      `memory of a client: ${kb(gateway.bytesPerClient)} KB, bare ${kb(bare.bytesPerClient)} KB, ratio ${memory.toFixed(2)}`,
      memory,
      1.3,
    );
    const processor = gateway.microsPerEvent / bare.microsPerEvent;
    yield atMost(
      `processor time of an event: ${gateway.microsPerEvent.toFixed(1)} µs, bare ${bare.microsPerEvent.toFixed(1)} µs, ratio ${processor.toFixed(2)}`,
      processor,
      1.3,
    );
    const perCore = 1_000_000 / gateway.microsPerEvent;
    yield atLeast(`events a second and core: ${Math.round(perCore)}`, perCore, 20_000);
    yield atMost(...times('10,000 clients, half of them', gateway.p50Ms, bare.p50Ms, 150));
    yield atMost(...times('10,000 clients, 99 % of them', gateway.p99Ms, bare.p99Ms, 400));
    yield atMost(
      `engine runs for each result and interval: ${gateway.runsPerInterval.toFixed(2)}`,
      gateway.runsPerInterval,
      1,
    );
    const { idleP99Ms = 0, busyP99Ms = 0, longestTurnMs = 0 } = gateway.others ?? {};
    const slower = busyP99Ms / idleP99Ms;
    yield atMost(
      `99 % of cached requests meanwhile: ${busyP99Ms.toFixed(1)} ms, without events ${idleP99Ms.toFixed(1)} ms, ratio ${slower.toFixed(2)}`,
      slower,
      3,
    );
    yield atMost(
      `longest turn of the event loop meanwhile: ${longestTurnMs.toFixed(1)} ms of processor time`,
      longestTurnMs,
      20,
    );
    const [few, bareFew] = [await measure('gateway', 1_000), await measure('bare', 1_000)];
    yield atMost(...times('1,000 clients, 99 % of them', few.p99Ms, bareFew.p99Ms, 60));
  },
};

export default bench;

const times = (who: string, ms: number, bareMs: number, goal: number) =>
  [`from a result to ${who}: ${Math.round(ms)} ms, bare ${Math.round(bareMs)} ms`, ms, goal] as const;

const kb = (bytes: number) => (bytes / 1024).toFixed(1);

interface Figures {
  readonly bytesPerClient: number;
  readonly microsPerEvent: number;
  /** From a result to a client. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly runsPerInterval: number;
  /** undefined for the bare broadcaster, which answers no others. */
  readonly others: OtherRequests | undefined;
}

async function measure(side: 'gateway' | 'bare', clients: number): Promise<Figures> {
  const server = await LiveServer.start(side);
  /** By version: how many clients have it, and how long after its result. */
  const latencies = new Map<number, number[]>();
  /** By version: from its first result until all clients have theirs. */
  const sending: (readonly [from: number, until: number])[] = [];
  let received = 0;
  const onData = (data: Buffer) => {
    const at = data.indexOf('"version":');
    if (at < 0) return;
    const [, version = '', time = ''] =
      /"version":(\d+),"at":([\d.]+)/.exec(data.toString('latin1', at, at + 80)) ?? [];
    received += 1;
    const known = latencies.get(Number(version)) ?? [];
    latencies.set(Number(version), known);
    const now = performance.timeOrigin + performance.now();
    known.push(now - Number(time));
    const [from = Number(time)] = sending[Number(version)] ?? [];
    sending[Number(version)] = [Math.min(from, Number(time)), now];
  };
  const open = async (at: number) => {
    const socket = await server.follow(at % parts);
    socket.on('data', onData);
  };
  for (let at = 0; at < parts; at += 1) await open(at);
  while (received < parts) await tick();
  const before = await server.memory();
  for (let at = parts; at < clients; at += 100)
    await Promise.all(Array.from({ length: 100 }, (_, more) => open(at + more)));
  while (received < clients) await tick();
  const after = await server.memory();
  const round = async (version: number) => {
    server.change();
    while ((latencies.get(version)?.length ?? 0) < clients) await tick();
  };
  // The first one compiles what the others run.
  await round(1);
  const start = await server.usage();
  const startedAt = performance.now();
  let end = start;
  const cpuMs: number[] = [];
  for (let version = 2; version < 2 + rounds; version += 1) {
    const from = end.cpuMs;
    await round(version);
    end = await server.usage();
    cpuMs.push(end.cpuMs - from);
  }
  const intervals = Math.ceil((performance.now() - startedAt) / intervalMs);
  const others = side === 'gateway' ? await besides(server, sending, () => round(2 + rounds)) : undefined;
  server.stop();
  const sorted = [...latencies].flatMap(([version, all]) => (version < 2 ? [] : all)).sort((a, b) => a - b);
  const quantile = (share: number) => sorted[Math.floor(share * sorted.length)] ?? Number.NaN;
  return {
    bytesPerClient: (after.rss - before.rss) / (clients - parts),
    microsPerEvent: (median(cpuMs) * 1_000) / clients,
    p50Ms: quantile(0.5),
    p99Ms: quantile(0.99),
    others,
    runsPerInterval: (end.runs - start.runs) / parts / intervals,
  };
}

interface OtherRequests {
  /** Of cached requests, without and with events. */
  readonly idleP99Ms: number;
  readonly busyP99Ms: number;
  /** While events are sent. */
  readonly longestTurnMs: number;
}

/** How other requests fare while a result is sent to all. @param sending by version */
async function besides(
  server: LiveServer,
  sending: readonly (readonly [from: number, until: number])[],
  send: () => Promise<void>,
): Promise<OtherRequests> {
  await server.probed();
  await new Promise((done) => setTimeout(done, 5_000));
  const idle = await server.probed();
  await server.longestTurnMs();
  await send();
  const longestTurnMs = await server.longestTurnMs();
  const [from = 0, until = 0] = sending.at(-1) ?? [];
  const busy = (await server.probed()).filter(({ at, ms }) => at + ms > from && at < until);
  return {
    idleP99Ms: p99Of(idle.map(({ ms }) => ms)),
    busyP99Ms: p99Of(busy.map(({ ms }) => ms)),
    longestTurnMs,
  };
}
