import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { httpLimits } from '../../src/http/message/http-limits.ts';
import { type GatewayProcess, startGateway } from '../support/gateway-process.ts';
import { writeKeyFile } from '../support/key-files.ts';
import { atNight, nightly } from '../support/nightly.ts';
import { queryText } from '../support/queries.ts';

const { maxRequestsInFlight } = httpLimits;
const digits = 'unnest([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]) as';
const from = Array.from('abcdefghijkl', (name) => `${digits} ${name}`).join(' cross join ');

const endless = queryText({
  name: 'endless',
  parameters: { n: '{ type: integer, default: 0, description: Makes each query different. }' },
  columns: { x: 'integer' },
  sql: `select count(*) as x from ${from} where mod(a * b + c, 7) = cast(@n as int64)`,
});

nightly(
  'a flood of endless queries is rejected, memory stays bounded, and the next caller gets a result',
  async () => {
    const queries = mkdtempSync(join(tmpdir(), 'querygate-test-'));
    writeFileSync(join(queries, 'endless.sql'), endless);
    writeFileSync(
      join(queries, 'quick.sql'),
      queryText({ name: 'quick', columns: { x: 'integer' }, sql: 'select 1 as x' }),
    );
    const gateway = await startGateway({ API_KEY: 'key', QUERIES_DIR: queries, ENGINE_CONCURRENCY: '2' });
    const port = Number(new URL(gateway.origin).port);
    const headers = { 'x-api-key': 'key' };
    const before = memoryMb(gateway);

    // Pipelined requests are begun one at a time, so that many connections are needed.
    const flood = Array.from({ length: 2_000 }, () => connect(port, '127.0.0.1').on('error', () => {}));
    for (const [at, socket] of flood.entries()) {
      const requests = Array.from(
        { length: 5 },
        (_, n) =>
          `GET /api/endpoints/query/endless?n=${at * 5 + n} HTTP/1.1\r\nHost: a\r\nX-API-KEY: key\r\n\r\n`,
      );
      socket.write(requests.join(''));
    }
    while (countRejected(gateway) < flood.length * 5 - maxRequestsInFlight - 500) {
      await sleep(50);
    }
    expect((await fetch(`${gateway.origin}/readyz`)).status).toBe(200);
    expect(memoryMb(gateway) - before).toBeLessThan(300);

    // Disconnecting cancels the queries, including those pipelined behind another.
    for (const socket of flood) socket.destroy();
    let status = 0;
    for (let attempt = 0; attempt < 50 && status !== 200; attempt += 1) {
      const answer = await fetch(`${gateway.origin}/api/endpoints/query/quick`, { headers });
      status = answer.status;
    }
    expect(status).toBe(200);
    expect(await gateway.end()).toBe(0);
    rmSync(queries, { recursive: true });
  },
);

/** 1000 rows of 160 bytes; twenty of them are a response of 3 MB. */
const large = queryText({
  name: 'large',
  caching: ['caching: 900s'],
  parameters: { n: '{ type: integer, default: 0, description: The first id. }' },
  columns: { id: 'integer', text: 'string' },
  sql: "select i + cast(@n as int64) as id, repeat('abcdefgh', 19) as text from unnest(generate_array(1, 1000)) as i",
});

const operation = (suffix: string, fields = '', length = 19) =>
  JSON.stringify({
    query: `{ ${fields} ${Array.from({ length }, (_, at) => `a${at}${suffix}: large(n: 0) { rows { id text } }`).join(' ')} }`,
  });

/** Its name, how many requests it sends, the body of each, settings, and the memory in megabytes that it may take. */
type Attack = readonly [string, number, (at: number) => string, Record<string, string>, number];

describe('responses of 3 MB that their clients do not read', () => {
  // What a turn of the event loop takes is measured in processor time of the gateway's main thread: other work on the
  // machine does not add to it. A probe waits for the turn that is under way.
  test.each<Attack>([
    ['200 different ones', 200, (at) => operation(`x${at}`), {}, 300],
    ...atNight<Attack>(
      ['200 equal ones', 200, () => operation(''), {}, 100],
      [
        '200 different ones in production',
        200,
        (at) => operation(`x${at}`),
        { NODE_ENV: 'production', DATA_DIR: ':demo:', SHUTDOWN_DELAY_SECONDS: '0' },
        300,
      ],
      ['550 different ones', 550, (at) => operation(`x${at}`), {}, 450],
    ),
  ])('%s leave the others their share', async (_, count, bodyOf, env, megabytes) => {
    const attack = await startAttack(env);
    const sockets = Array.from({ length: count }, (_, at) => attack.send([bodyOf(at)]));
    await attack.until(() => attack.statuses().length === count);
    const statuses = attack.statuses();
    expect(new Set(statuses).difference(new Set([200, 503]))).toEqual(new Set());
    expect(statuses).toContain(200);
    const isShared = bodyOf(1) === bodyOf(2);
    if (isShared) expect(statuses).not.toContain(503);
    await attack.end(sockets, { turnMs: 100, megabytes });
  });

  // It is Yoga's, in one piece.
  nightly('100 with as many rows as the executor may have are bounded too', async () => {
    const attack = await startAttack({});
    const bodies = Array.from({ length: 100 }, (_, at) => operation(`x${at}`, 'endpoints { name }', 2));
    const sockets = bodies.map((body) => attack.send([body]));
    await attack.until(() => attack.statuses().length === bodies.length);
    expect(new Set(attack.statuses())).toEqual(new Set([200]));
    await attack.end(sockets);
  });

  nightly('200 pipelined on one connection are begun one after another', async () => {
    const attack = await startAttack({});
    const socket = attack.send(Array.from({ length: 200 }, (_, at) => operation(`x${at}`)));
    await attack.until(() => attack.statuses().length > 0);
    await sleep(1_000);
    // The system has taken a few into its own buffers.
    expect(attack.statuses().length).toBeLessThan(10);
    await attack.end([socket]);
  });
});

nightly(
  '1,000 REST requests that arrive at once, each with another expensive pattern, are bound in turns',
  async () => {
    // They may arrive faster than the engine's process runs them.
    const attack = await startAttack({ ENGINE_CONCURRENCY: '40', ENGINE_TIMEOUT_MS: '120000' });
    const sockets = await Promise.all(
      Array.from({ length: 1_000 }, async (_, at) => {
        const socket = connect(attack.port, '127.0.0.1').on('error', () => {});
        await once(socket, 'connect');
        const pattern = encodeURIComponent(`${at}${'(?:[0-9a].{1,9}[a-f]?)'.repeat(20)}`);
        return {
          socket,
          text: `GET /api/endpoints/query/matching?p=${pattern} HTTP/1.1\r\nHost: a\r\nX-API-KEY: ${attack.key}\r\n\r\n`,
        };
      }),
    );
    // All arrive before the gateway reads the first one.
    attack.pause();
    for (const { socket, text } of sockets) socket.write(text);
    await sleep(500);
    attack.resume();
    const path = '/api/endpoints/query/matching';
    await attack.until(() => attack.statuses(path).length === 1_000);
    expect(new Set(attack.statuses(path))).toEqual(new Set([200]));
    await attack.end(
      sockets.map(({ socket }) => socket),
      // Node reads all that has arrived in one turn: a thousand requests are some 40 ms of it, whatever they ask for, and up to
      // 120 ms beside programs that compete for the caches of the cores. Bound at once, the patterns would take a second.
      { turnMs: 300, megabytes: 300 },
    );
  },
);

nightly(
  '100 different results of 3 MB, each of a run of its own, are read and compressed in turns',
  async () => {
    const attack = await startAttack({ ENGINE_TIMEOUT_MS: '120000' });
    const path = '/api/endpoints/query/long';
    const sockets = Array.from({ length: 100 }, (_, at) => {
      const socket = connect(attack.port, '127.0.0.1').on('error', () => {});
      socket.write(`GET ${path}?n=${at} HTTP/1.1\r\nHost: a\r\nX-API-KEY: ${attack.key}\r\n\r\n`);
      return socket.pause();
    });
    await attack.until(() => attack.statuses(path).length === 100);
    expect(new Set(attack.statuses(path)).difference(new Set([200, 503]))).toEqual(new Set());
    // Without turns: 500 ms and more. 30 to 40 ms on a quiet machine, and 90 ms on a busy one, where more results become ready
    // between two turns. Much of the memory is DuckDB's, which keeps what it has freed for a while.
    await attack.end(sockets, { turnMs: 200, megabytes: 650 });
  },
);

/** A gateway with two keys: one sends and does not read, the other one and `/healthz` are probed meanwhile. */
async function startAttack(env: Record<string, string>) {
  const queries = mkdtempSync(join(tmpdir(), 'querygate-test-'));
  writeFileSync(join(queries, 'large.sql'), large);
  const quick = {
    name: 'quick',
    caching: ['caching: 900s'],
    columns: { x: 'integer' },
    sql: 'select 1 as x',
  };
  writeFileSync(join(queries, 'quick.sql'), queryText(quick));
  const long = {
    name: 'long',
    maxRows: 25_000,
    caching: ['caching: 900s'],
    parameters: { n: '{ type: integer, default: 0, description: The first id. }' },
    columns: { id: 'integer', text: 'string' },
    sql: "select i + cast(@n as int64) as id, repeat('abcdefgh', 19) as text from unnest(generate_array(1, 19000)) as i",
  };
  writeFileSync(join(queries, 'long.sql'), queryText(long));
  const matching = {
    name: 'matching',
    parameters: { p: '{ type: pattern, default: a, description: A pattern. }' },
    columns: { x: 'boolean' },
    sql: "select regexp_contains('a', @p) as x",
  };
  writeFileSync(join(queries, 'matching.sql'), queryText(matching));
  const keys = writeKeyFile({ attacker: {}, other: {} });
  const gateway = await startGateway({ API_KEYS_FILE: keys.path, QUERIES_DIR: queries, ...env }, 'pipe', [
    '--import',
    './test/support/watch-loop.ts',
  ]);
  const port = Number(new URL(gateway.origin).port);
  const probe = async (path: string, key: string) =>
    (await fetch(`${gateway.origin}${path}`, { headers: { 'x-api-key': key } })).status;
  const quickPath = '/api/endpoints/query/quick';
  expect(await probe(quickPath, keys.keyOf('other'))).toBe(200);
  expect(await probe('/api/endpoints/query/large', keys.keyOf('attacker'))).toBe(200);
  await sleep(500);

  const before = memoryMb(gateway);
  let most = before;
  let isProbing = true;
  const probing = (async () => {
    while (isProbing) {
      expect(await probe('/healthz', '')).toBe(200);
      expect(await probe(quickPath, keys.keyOf('other'))).toBe(200);
      most = Math.max(most, memoryMb(gateway));
      await sleep(50);
    }
  })();
  gateway.child.kill('SIGUSR2');
  const longestTurn = () => /longest turn of the event loop: (?<ms>\d+)/.exec(gateway.log())?.groups?.ms;

  return {
    send(bodies: readonly string[]): Socket {
      const socket = connect(port, '127.0.0.1').on('error', () => {});
      const head = `POST /graphql HTTP/1.1\r\nHost: a\r\nX-API-KEY: ${keys.keyOf('attacker')}\r\nContent-Type: application/json\r\n`;
      socket.write(bodies.map((body) => `${head}Content-Length: ${body.length}\r\n\r\n${body}`).join(''));
      return socket.pause();
    },
    port,
    key: keys.keyOf('attacker'),
    /** Stops the process, so that all that is sent meanwhile arrives at once. */
    pause: () => gateway.child.kill('SIGSTOP'),
    resume: () => gateway.child.kill('SIGCONT'),
    statuses: (path = '/graphql') =>
      [...gateway.log().matchAll(new RegExp(`"path":"${path}","status":(?<status>\\d+)`, 'g'))].map(
        ({ groups }) => Number(groups?.status),
      ),
    async until(isDone: () => boolean) {
      while (!isDone()) await sleep(50);
    },
    /** Checks what the attack has cost, and that everything is given back after it. */
    async end(sockets: readonly Socket[], { turnMs, megabytes } = { turnMs: 100, megabytes: 300 }) {
      gateway.child.kill('SIGUSR2');
      while (longestTurn() === undefined) await sleep(20);
      isProbing = false;
      await probing;
      expect(Number(longestTurn())).toBeLessThan(turnMs);
      expect(most - before).toBeLessThan(megabytes);

      for (const socket of sockets) socket.destroy();
      await sleep(200);
      const again = await fetch(`${gateway.origin}/graphql`, {
        method: 'POST',
        headers: { 'x-api-key': keys.keyOf('attacker'), 'content-type': 'application/json' },
        body: operation('again'),
      });
      expect((await again.text()).length).toBeGreaterThan(3_000_000);
      expect(await gateway.end()).toBe(0);
      keys.remove();
      rmSync(queries, { recursive: true });
    },
  };
}

function countRejected(gateway: GatewayProcess): number {
  return gateway.log().match(/"status":503/g)?.length ?? 0;
}

function memoryMb({ child }: GatewayProcess): number {
  return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(child.pid)], { encoding: 'utf8' })) / 1_000;
}
