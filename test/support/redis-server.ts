import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '@keyv/redis';
import { hasProgram } from './has-program.ts';
import { freePort } from './free-port.ts';

/** Tests that need Redis are skipped when it is not installed, except in CI. */
export const hasRedis = hasProgram('redis-server');

/** Before other processes, where that is permitted: gateways go on without a Redis that has been silent for 100 ms. */
function runFirst(pid = 0): void {
  try {
    setPriority(pid, -20);
  } catch {}
}

type Client = ReturnType<typeof createClient>;

export interface RedisServer {
  readonly url: string;
  start(): Promise<void>;
  /** Sends a signal to the process: SIGKILL, SIGSTOP, SIGCONT. */
  signal(signal: NodeJS.Signals): void;
  /** Runs commands on a connection of its own. */
  run<T>(work: (client: Client) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** A Redis for one test, on a free port; it is not started yet. @param options of `redis-server` */
export async function redisServer(...options: string[]): Promise<RedisServer> {
  const port = await freePort();
  const url = `redis://127.0.0.1:${port}`;
  const dir = mkdtempSync(join(tmpdir(), 'querygate-test-'));
  let child: ChildProcess | undefined;
  const isRunning = () => child !== undefined && child.exitCode === null && child.signalCode === null;
  let connected: Promise<Client> | undefined;
  const connect = (): Promise<Client> => {
    const client = createClient({ url, disableOfflineQueue: true, socket: { reconnectStrategy: false } });
    // Redis has ended: the next command connects to the one that runs then.
    const forget = () => {
      if (connected === connecting) connected = undefined;
    };
    client.on('error', forget);
    const connecting = client.connect().then(() => client as never as Client);
    connecting.catch(forget);
    return connecting;
  };
  const run: RedisServer['run'] = async (work) => {
    connected ??= connect();
    return work(await connected);
  };
  return {
    url,
    run,
    async start() {
      const args = ['--port', String(port), '--dir', dir, '--save', '', '--appendonly', 'no', ...options];
      for (;;) {
        // It ends at once while its port is that of somebody else's connection.
        if (!isRunning()) {
          child = spawn('redis-server', args, { stdio: 'ignore' });
          runFirst(child.pid);
        }
        try {
          await run((client) => client.ping());
          return;
        } catch {
          await sleep(20);
        }
      }
    },
    signal: (signal) => child?.kill(signal),
    async close() {
      const client = await connected?.catch(() => undefined);
      if (client?.isOpen) client.destroy();
      if (isRunning()) {
        child?.kill('SIGKILL');
        await once(child as ChildProcess, 'exit');
      }
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
