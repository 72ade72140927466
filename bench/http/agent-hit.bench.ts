import { modern, modernMeta } from '../../test/support/mcp-request.ts';
import { processorMsOfProcess } from '../../test/support/processor-time.ts';
import { atMost } from '../goals.ts';
import type { Bench } from '../run.ts';
import { connections } from './compare.ts';
import { requestBytes, responsesIn } from './load.ts';
import { makeFolder, startOver } from './sides.ts';

/**
 * The most processor time of a call, as a multiple of that of a REST hit on the same result. Reading a body alone takes a bare
 * `node:http` server 1.4 times as long as a GET without one, and the rows are in an answer twice.
 */
const goal = 2.3;

const rounds = 12;
const roundMs = 500;

const rest = requestBytes([
  'GET /api/endpoints/query/rows-24 HTTP/1.1',
  'Host: bench',
  'Authorization: Bearer key',
  'Accept: application/json',
]);

/** Clients count their requests. */
let id = 0;

const calls = {
  '2026-07-28': () => callBytes({ _meta: modernMeta }, modern, 'Mcp-Method: tools/call', 'Mcp-Name: rows-24'),
  '2025-11-25': () => callBytes({}, '2025-11-25'),
};

const bench: Bench = {
  title: 'Agents: processor time of a call whose result is cached against the REST hit on the same result',
  async *run() {
    const folder = makeFolder();
    const gateway = await startOver(folder, { API_KEY: 'key', MCP: 'on' });
    const port = Number(new URL(gateway.origin).port);
    const sides = { rest: () => rest, ...calls };
    const sums = Object.fromEntries(Object.keys(sides).map((name) => [name, { ms: 0, responses: 0 }]));
    const load = async (nextRequest: () => Buffer) => {
      const before = processorMsOfProcess(gateway.child.pid);
      const { responses } = await responsesIn({ port, nextRequest, connections, ms: roundMs });
      return { ms: processorMsOfProcess(gateway.child.pid) - before, responses };
    };
    try {
      // Until their code is compiled.
      for (const nextRequest of Object.values(sides).flatMap((one) => [one, one])) await load(nextRequest);
      for (let round = 0; round < rounds; round += 1) {
        for (const [name, nextRequest] of Object.entries(sides)) {
          const { ms, responses } = await load(nextRequest);
          const sum = sums[name];
          if (sum !== undefined) [sum.ms, sum.responses] = [sum.ms + ms, sum.responses + responses];
        }
      }
      const microseconds = (name: string) => {
        const { ms = 0, responses = 0 } = sums[name] ?? {};
        return (ms * 1_000) / responses;
      };
      const ofRest = microseconds('rest');
      for (const name of Object.keys(calls)) {
        const ratio = microseconds(name) / ofRest;
        const figures = `${microseconds(name).toFixed(1)} µs, REST ${ofRest.toFixed(1)} µs, ratio ${ratio.toFixed(2)}`;
        yield atMost(`revision ${name}, 24×8: ${figures}`, ratio, goal);
      }
    } finally {
      await gateway.end();
      folder.remove();
    }
  },
};

export default bench;

function callBytes(params: object, version: string, ...headers: readonly string[]): Buffer {
  id += 1;
  const message = {
    method: 'tools/call',
    params: { name: 'rows-24', arguments: {}, ...params },
    jsonrpc: '2.0',
    id,
  };
  return requestBytes(
    [
      'POST /mcp HTTP/1.1',
      'Host: bench',
      'Authorization: Bearer key',
      'Content-Type: application/json',
      'Accept: application/json, text/event-stream',
      `MCP-Protocol-Version: ${version}`,
      ...headers,
    ],
    JSON.stringify(message),
  );
}
