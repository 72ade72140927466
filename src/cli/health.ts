import { readConfig } from '../config.ts';
import { livePath } from '../http/paths.ts';
import type { LoadedSettings } from './settings/load-settings.ts';

const timeoutMs = 2_000;

/** `querygate health`: whether the gateway with these settings answers, for the health check of a container. */
export async function checkHealth({ values, label }: LoadedSettings): Promise<boolean> {
  const { host, port } = readConfig(values, label);
  // A gateway that listens on all addresses is reached on this machine.
  const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  const origin = `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
  try {
    const { status } = await fetch(origin + livePath, { signal: AbortSignal.timeout(timeoutMs) });
    process.stdout.write(`${origin}${livePath} answers ${status}\n`);
    return status === 200;
  } catch (error) {
    const { cause, message } = error as Error;
    process.stderr.write(`${origin}${livePath} does not answer: ${String(cause ?? message)}\n`);
    return false;
  }
}
