import { Agent, get } from 'node:http';
import { probedPart } from './probed-part.ts';

/**
 * Sends cached requests one after another, in a process of its own: in that of ten thousand other clients each would wait
 * for them. Any message is answered with the requests since the last one. Argument: the port.
 */
const [port = ''] = process.argv.slice(2);

/** Milliseconds since the epoch, with a fraction. */
export interface Probed {
  readonly at: number;
  readonly ms: number;
}

const agent = new Agent({ keepAlive: true, maxSockets: 1 });
const headers = { 'x-api-key': 'a-key-for-benchmarks-only' };
const path = `/api/endpoints/query/parts?part=${probedPart}`;

let probed: Probed[] = [];

const request = () =>
  new Promise<void>((resolve, reject) => {
    const startedAt = performance.now();
    get({ port, agent, path, headers }, (response) => {
      response.resume().once('end', () => {
        probed.push({ at: performance.timeOrigin + startedAt, ms: performance.now() - startedAt });
        resolve();
      });
    }).once('error', reject);
  });

process.on('message', () => {
  process.send?.(probed);
  probed = [];
});

for (;;) {
  await request();
  await new Promise((done) => setTimeout(done, 2));
}
