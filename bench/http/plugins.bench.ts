import { pino } from 'pino';
import { camelCase } from '../../src/names/graphql-names.ts';
import { gatewayOptions } from '../../src/cli/start/gateway-options.ts';
import { readConfig } from '../../src/config.ts';
import { createGateway, type Gateway } from '../../src/gateway/create-gateway.ts';
import type { GatewayPlugin } from '../../src/gateway/plugin.ts';
import { processorMsOf } from '../../test/support/processor-time.ts';
import { atMost } from '../goals.ts';
import type { Bench } from '../run.ts';
import { type BenchFolder, columns, makeFolder } from './sides.ts';

/** A plug-in without a hook on the way of a cached result, and those of `querygate start`. */
const sets = {
  idle: ['idle'],
  lasting: ['live', 'federation'],
  metrics: ['metrics'],
  all: ['shadow', 'deprecation', 'openapi', 'live', 'federation', 'pages', 'graphiql', 'metrics'],
} as const;

/** The most processor time of a request, as a multiple of that without plug-ins. */
const goal = 1.02;

const rounds = 40;
const requestsInRound = 1_500;

const headers = { 'x-api-key': 'key' };
const query = `{ rows24 { rows { ${Object.keys(columns).map(camelCase).join(' ')} } } }`;
const requests = {
  REST: () => new Request('http://bench/api/endpoints/query/rows-24', { headers }),
  GraphQL: () => new Request(`http://bench/graphql?query=${encodeURIComponent(query)}`, { headers }),
};

const bench: Bench = {
  title: 'Plug-ins: processor time of a cached result against a gateway without plug-ins',
  async *run() {
    const folder = makeFolder();
    const without = await open(folder, []);
    try {
      for (const name of Object.keys(sets) as (keyof typeof sets)[]) {
        const side = await open(folder, sets[name]);
        for (const [api, request] of Object.entries(requests))
          yield await compareTimes(`${name}, ${api}`, request, side, without);
        await side.close();
      }
    } finally {
      await without.close();
      folder.remove();
    }
  },
};

export default bench;

const idle: GatewayPlugin = { name: 'idle', routes: () => [], onReload() {}, onRun: () => undefined };

/** The gateway of `querygate start` with other plug-ins. It writes the lines of its log nowhere. */
async function open({ path }: BenchFolder, names: readonly string[]): Promise<Gateway> {
  const settings = { QUERIES_DIR: path, DATA_DIR: path, STORE_FILE: ':memory:', FEDERATION: 'on' };
  const options = await gatewayOptions(readConfig(settings), headers['x-api-key']);
  const plugins = [...(options.plugins ?? []), idle].filter(({ name }) => names.includes(name));
  return createGateway({ ...options, plugins, reload: false, log: pino({}, { write() {} }), writeLine() {} });
}

/** One line. The sides take turns in one process, so that they run the same compiled code. */
async function compareTimes(title: string, request: () => Request, side: Gateway, against: Gateway) {
  const microseconds = async (gateway: Gateway, count: number) => {
    const ms = await processorMsOf(async () => {
      for (let at = 0; at < count; at += 1) await gateway.fetch(request());
    });
    return (ms * 1_000) / count;
  };
  for (const one of [side, against, side, against]) await microseconds(one, 4_000);
  const sums = new Map([side, against].map((one) => [one, 0]));
  for (let round = 0; round < rounds; round += 1) {
    const order = round % 2 === 0 ? [side, against] : [against, side];
    for (const one of order) sums.set(one, (sums.get(one) ?? 0) + (await microseconds(one, requestsInRound)));
  }
  const [of = 0, other = 0] = [...sums.values()].map((sum) => sum / rounds);
  const figures = `${of.toFixed(2)} µs against ${other.toFixed(2)} µs, ratio ${(of / other).toFixed(3)}`;
  return atMost(`${title}: ${figures}`, of / other, goal);
}
