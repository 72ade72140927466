import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createGateway } from '../../src/gateway/create-gateway.ts';
import { openServer } from '../../src/exports/node.ts';
import { apiKey } from '../../src/exports/keys.ts';
import { live } from '../../src/exports/plugins.ts';
import { pino } from 'pino';
import { probedPart } from './probed-part.ts';
import { measureLongestTurn } from '../../test/support/longest-turn.ts';

/**
 * One side of the comparison, in a process of its own: `gateway`, or `bare`, a broadcaster that writes the same bytes to all
 * clients in one loop. Other arguments: the interval, and the length of a result. Messages: `change` sends another result to
 * all, `memory` is answered with the memory that is in use, `usage` with the processor time since the start, and `turn` with
 * that of the longest turn of the event loop since the last such message.
 */
const [side = '', interval = '5s', textLength = '1950'] = process.argv.slice(2);

const benchKey = 'a-key-for-benchmarks-only';

let version = 0;

const text = 'x'.repeat(Number(textLength));

/** A row with the time at which it was made. */
const rowText = (part: string) => {
  const at = performance.timeOrigin + performance.now();
  return JSON.stringify({ part, version, at, text: part === probedPart ? 'x' : text });
};

async function openGateway() {
  let runs = 0;
  const gateway = await createGateway({
    queries: { read: () => ({ 'parts.sql': queryFile }) },
    engine: {
      name: 'bench',
      sql: 'bigquery',
      flags: { enforcesTenants: true },
      open: async () => ({
        source: 'bench',
        async run({ parameters }) {
          runs += 1;
          return { rows: [rowText(String(parameters.part))], truncated: false };
        },
        close: async () => {},
      }),
    },
    // Full after a minute, so that what grows in it is not taken for a leak.
    cache: { memoryBytes: 8_000_000 },
    keys: apiKey(benchKey),
    plugins: [live()],
    log: pino({ level: 'silent' }),
  });
  // Ten thousand clients do not have one address, unless it is that of a proxy.
  const trustedProxies = ['127.0.0.1'];
  const { server } = openServer(gateway.listener, { log: pino({ level: 'silent' }), trustedProxies });
  return { server, change: () => {}, runs: () => runs };
}

const queryFile = `/*---
id: 11111111-2222-4333-8444-555555555555
description: rows of the benchmark
max_rows: 10
caching: 900s
live: ${interval}
parameters:
  part: { type: string, required: true, description: which part }
columns:
  part: { type: string, description: a part }
  version: { type: integer, description: a version }
  at: { type: float, description: a time }
  text: { type: string, description: a text }
---*/
SELECT @part AS part, 1 AS version, 1.0 AS at, 'x' AS text
`;

function openBare() {
  const responses = new Map<string, Set<ServerResponse>>();
  const frameOf = (part: string) =>
    Buffer.from(`event: next\nid: ${version}\ndata: {"result":[${rowText(part)}]}\n\n`);
  const server = createServer((request, response) => {
    const part = new URL(request.url ?? '', 'http://bench').searchParams.get('part') ?? '';
    const all = responses.get(part) ?? new Set();
    responses.set(part, all.add(response));
    response.once('close', () => all.delete(response));
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(frameOf(part));
  });
  return {
    server,
    change() {
      for (const [part, all] of responses) {
        const frame = frameOf(part);
        for (const response of all) response.write(frame);
      }
    },
    runs: () => 0,
  };
}

const { server, change, runs } = side === 'bare' ? openBare() : await openGateway();
let endTurns = () => 0;
process.on('message', (message) => {
  if (message === 'change') {
    version += 1;
    change();
  } else if (message === 'memory') {
    globalThis.gc?.();
    process.send?.(process.memoryUsage());
  } else if (message === 'turn') {
    process.send?.({ ms: endTurns() });
    endTurns = measureLongestTurn();
  } else {
    const { user, system } = process.cpuUsage();
    process.send?.({ cpuMs: (user + system) / 1_000, runs: runs() });
  }
});
// As `querygate start` does.
server.listen(0, '127.0.0.1', 16_000, () => process.send?.({ port: (server.address() as AddressInfo).port }));
