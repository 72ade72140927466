import { openSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startGateway } from '../../test/support/gateway-process.ts';
import { writeKeyFile } from '../../test/support/key-files.ts';
import { queryText } from '../../test/support/queries.ts';
import { atMost } from '../goals.ts';
import type { Bench } from '../run.ts';
import { postGraphql } from './graphql-sides.ts';
import { residentMb } from './memory.ts';
import { makeFolder } from './sides.ts';

const requestCount = 200;
const goals = { healthMs: 250, hitMs: 100, megabytes: 300 } as const;
/** For how long the responses are left unread. */
const unreadMs = 4_000;

const bench: Bench = {
  title: `${requestCount} concurrent GraphQL responses of 3 MB for one key, which are not read`,
  async *run() {
    yield* attack('equal operations', () => 'a');
    yield* attack('different operations', (at) => `a${at}x`);
  },
};

export default bench;

/** 1000 rows of 160 bytes; nineteen lists of them are a response of 3 MB. */
const large = queryText({
  name: 'large',
  caching: ['caching: 900s'],
  columns: { id: 'integer', text: 'string' },
  sql: "select i as id, repeat('abcdefgh', 19) as text from unnest(generate_array(1, 1000)) as i",
});

async function* attack(title: string, aliasOf: (at: number) => string): AsyncGenerator<string> {
  const folder = makeFolder();
  writeFileSync(join(folder.path, 'large.sql'), large);
  const keys = writeKeyFile({ attacker: {}, other: {} });
  const env = { QUERIES_DIR: folder.path, DATA_DIR: folder.path, API_KEYS_FILE: keys.path };
  const gateway = await startGateway(env, openSync(join(folder.path, 'log'), 'a'));
  const longest = { healthz: 0, hit: 0 };
  const probe = async (kind: keyof typeof longest, path: string) => {
    const started = performance.now();
    const headers = { 'x-api-key': keys.keyOf('other') };
    const response = await fetch(`${gateway.origin}${path}`, { headers });
    await response.arrayBuffer();
    if (response.status !== 200) throw new Error(`${path}: ${response.status}`);
    longest[kind] = Math.max(longest[kind], performance.now() - started);
  };
  const probeBoth = async () => {
    await probe('healthz', '/healthz');
    await probe('hit', '/api/endpoints/query/rows-24');
  };
  try {
    // Each has a connection and compiled code before it is measured.
    for (let at = 0; at < 50; at += 1) await probeBoth();
    await sleep(1_000);
    Object.assign(longest, { healthz: 0, hit: 0 });
    const before = residentMb(gateway);
    let most = before;
    const sockets = Array.from({ length: requestCount }, (_, at) => {
      const lists = Array.from({ length: 19 }, (_, n) => `${aliasOf(at)}${n}: large { rows { id text } }`);
      const socket = connect(Number(new URL(gateway.origin).port), '127.0.0.1').on('error', () => {});
      socket.write(postGraphql(`{ ${lists.join(' ')} }`, keys.keyOf('attacker')));
      return socket.pause();
    });
    for (const end = performance.now() + unreadMs; performance.now() < end; ) {
      await probeBoth();
      most = Math.max(most, residentMb(gateway));
      await sleep(5);
    }
    for (const socket of sockets) socket.destroy();
    const { healthz, hit } = longest;
    yield atMost(`${title}: /healthz after ${healthz.toFixed(0)} ms at the latest`, healthz, goals.healthMs);
    yield atMost(`${title}: a cached result of another key after ${hit.toFixed(0)} ms`, hit, goals.hitMs);
    const megabytes = most - before;
    yield atMost(`${title}: ${megabytes.toFixed(0)} MB more memory`, megabytes, goals.megabytes);
  } finally {
    await gateway.end();
    keys.remove();
    folder.remove();
  }
}
