import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { labelsHeader } from '../../src/call/gate.ts';
import { digestOf, makeKey } from '../../src/keys/key-text.ts';
import type { Bench } from '../run.ts';
import { compareInTurns, type Side } from './compare.ts';
import { postGraphql } from './graphql-sides.ts';
import { requestBytes } from './load.ts';
import { type BenchFolder, makeFolder, startOver } from './sides.ts';

const manyKeys = 10_000;
/** Several: one key may have at most a million requests a minute, which one server exceeds. */
const limitedKeys = 20;
/** What the hit must reach of the plain one. */
const goal = 0.9;

const bench: Bench = {
  title: 'Hits of 24×8 through keys with rates, a large key file and labels, against the plain hit',
  async *run() {
    const folder = makeFolder();
    const { file, key, limited } = writeKeys(folder);
    const plain = await startOver(folder);
    const keyed = await startOver(folder, { API_KEYS_FILE: file });
    const portOf = ({ origin }: { origin: string }) => Number(new URL(origin).port);
    const side = (name: string, port: number, requests: readonly Buffer[]): Side => {
      let count = 0;
      const nextRequest = () => {
        count += 1;
        return requests[count % requests.length] ?? Buffer.alloc(0);
      };
      return { name, port, nextRequest };
    };
    try {
      for (const [protocol, request] of Object.entries(protocols)) {
        const against = side('the plain hit', portOf(plain), [request('key')]);
        const labels = request('key', `${labelsHeader}: team=web,session_id=42`);
        const sides = [
          side(`one of ${manyKeys} keys`, portOf(keyed), [request(key)]),
          side(
            'keys with rates',
            portOf(keyed),
            limited.map((text) => request(text)),
          ),
          side('labels', portOf(plain), [labels]),
        ];
        for (const one of sides) {
          const title = `${protocol}, ${one.name}`;
          yield await compareInTurns({ title, side: one, against, goal }, { rounds: 15, roundMs: 250 });
        }
      }
    } finally {
      await Promise.all([plain.end(), keyed.end()]);
      folder.remove();
    }
  },
};

export default bench;

const protocols: Readonly<Record<string, (key: string, ...headers: string[]) => Buffer>> = {
  REST: (key, ...headers) =>
    requestBytes([
      'GET /api/endpoints/query/rows-24 HTTP/1.1',
      'Host: bench',
      `X-API-KEY: ${key}`,
      ...headers,
    ]),
  GraphQL: (key, ...headers) =>
    postGraphql(
      '{ rows24 { rows { made count errorCount minTime maxTime avgTime path id } } }',
      key,
      headers,
    ),
};

/** A file of many keys, of which the last ones have rates, and one in the middle is used. */
function writeKeys({ path }: BenchFolder) {
  const keys = Array.from({ length: manyKeys }, () => makeKey());
  const firstLimited = manyKeys - limitedKeys;
  const entries = keys.map(({ id, text }, at) => ({
    id,
    name: `Key ${id}`,
    sha256: digestOf(text).toString('hex'),
    ...(at >= firstLimited && { rate: { requests_per_minute: 1_000_000, concurrent_queries: 1_000 } }),
  }));
  const file = join(path, 'keys.json');
  writeFileSync(file, JSON.stringify({ keys: entries }));
  return {
    file,
    key: keys[manyKeys / 2]?.text ?? '',
    limited: keys.slice(firstLimited).map(({ text }) => text),
  };
}
