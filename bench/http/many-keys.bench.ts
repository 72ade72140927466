import { mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { digestOf, makeKey } from '../../src/keys/key-text.ts';
import { type GatewayProcess, startGateway } from '../../test/support/gateway-process.ts';
import { queryText } from '../../test/support/queries.ts';
import type { Bench } from '../run.ts';
import { responsesPerSecond } from './load.ts';

const connections = 64;
const roundMs = 250;
const rounds = 81;
const manyKeys = 10_000;
/** The least ratio of hits with many keys to hits with one. */
const goal = 0.95;

const bench: Bench = {
  title: `REST hits with ${manyKeys} keys in the file against one, ${connections} connections`,
  async run() {
    const folder = mkdtempSync(join(tmpdir(), 'querygate-bench-'));
    const key = makeKey();
    const log = openSync(join(folder, 'log'), 'w');
    writeFileSync(
      join(folder, 'hit.sql'),
      queryText({
        name: 'hit',
        caching: ['caching: 86400s'],
        columns: { x: 'integer' },
        parameters: { project: '{ type: string, tenant: true, required: true, description: P. }' },
        sql: 'select length(@project) as x',
      }),
    );
    const start = (count: number) => {
      const others = Array.from({ length: count - 1 }, () => makeKey());
      const keys = [...others.slice(count / 2), key, ...others.slice(0, count / 2)].map(({ id, text }) => ({
        id,
        name: `Key ${id}`,
        sha256: digestOf(text).toString('hex'),
        projects: [id],
      }));
      const file = join(folder, `keys-${count}.json`);
      writeFileSync(file, JSON.stringify({ keys }));
      return startGateway({ API_KEYS_FILE: file, QUERIES_DIR: folder, DATA_DIR: folder }, log);
    };
    const sides = { one: await start(1), many: await start(manyKeys) };
    try {
      return [await compare(sides, key)];
    } finally {
      await Promise.all([sides.one.end(), sides.many.end()]);
      rmSync(folder, { recursive: true });
    }
  },
};

export default bench;

type Sides = Readonly<Record<'one' | 'many', GatewayProcess>>;

/** Both sides in alternation, and the median of the rounds' ratios. */
async function compare({ one, many }: Sides, key: { readonly id: string; readonly text: string }) {
  const request = [
    `GET /api/endpoints/query/hit?project=${key.id} HTTP/1.1`,
    'Host: bench',
    `X-API-KEY: ${key.text}`,
  ].join('\r\n');
  const load = ({ origin }: GatewayProcess, ms = roundMs) =>
    responsesPerSecond({ port: Number(new URL(origin).port), request, connections, ms });
  const measured: { one: number; many: number; ratio: number }[] = [];
  await load(one);
  await load(many);
  for (let round = 0; round < rounds; round += 1) {
    // The second one finds the machine in another state: they alternate.
    const first = round % 2 === 0 ? await load(one) : await load(many);
    const second = round % 2 === 0 ? await load(many) : await load(one);
    const [ofOne, ofMany] = round % 2 === 0 ? [first, second] : [second, first];
    measured.push({ one: ofOne, many: ofMany, ratio: ofMany / ofOne });
  }
  const median = (name: 'one' | 'many' | 'ratio') =>
    measured.map((round) => round[name]).sort((a, b) => a - b)[Math.floor(rounds / 2)] ?? Number.NaN;
  if (median('ratio') < goal) process.exitCode = 1;
  const verdict = `at least ${goal}: ${median('ratio') < goal ? 'DOES NOT HOLD' : 'holds'}`;
  return `${manyKeys} keys: ${Math.round(median('many'))}/s against ${Math.round(median('one'))}/s with one, ratio ${median('ratio').toFixed(2)}; ${verdict}`;
}
