import { get } from 'node:http';
import type { Config } from '../../config.ts';
import type { CliCommand } from '../command.ts';

const livePath = '/livez';

const timeoutMs = 2_000;

export const health: CliCommand = {
  usage: 'health',
  description: 'check that a running gateway answers, for the health check of a container',
  settings: ['HOST', 'PORT'],
  run: ({ config }) => isHealthy(config()),
};

async function isHealthy({ host, port }: Config): Promise<boolean> {
  // A gateway that listens on all addresses is reached on this machine.
  const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  const origin = `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
  try {
    const status = await statusOf(origin + livePath);
    process.stdout.write(`${origin}${livePath} answers ${status}\n`);
    return status === 200;
  } catch (error) {
    const { cause, message } = error as Error;
    process.stderr.write(`${origin}${livePath} does not answer: ${String(cause ?? message)}\n`);
    return false;
  }
}

/** By node:http: fetch refuses ports that browsers block, 6000 for example, on which a gateway may well listen. */
function statusOf(url: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const request = get(url, { signal: AbortSignal.timeout(timeoutMs), agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    request.once('error', reject);
  });
}
