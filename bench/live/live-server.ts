import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { resolve } from 'node:path';
import type { Probed } from './probe.ts';

interface Usage {
  /** Processor time since the start. */
  readonly cpuMs: number;
  /** Of the engine. */
  readonly runs: number;
}

/** The server of `server.ts`, and its clients. */
export class LiveServer {
  readonly sockets = new Set<Socket>();
  readonly #process: ChildProcess;
  readonly #port: number;
  #probe: ChildProcess | undefined;

  private constructor(process: ChildProcess, port: number) {
    this.#process = process;
    this.#port = port;
  }

  static async start(
    side: 'gateway' | 'bare',
    settings: { readonly interval?: string; readonly textLength?: number } = {},
  ): Promise<LiveServer> {
    const { interval = '5s', textLength = 1_950 } = settings;
    const process = fork(resolve('bench/live/server.ts'), [side, interval, String(textLength)], {
      execArgv: ['--expose-gc'],
    });
    const [{ port }] = (await once(process, 'message')) as [{ port: number }];
    return new LiveServer(process, port);
  }

  /** A client that follows the result of a part. @param headers more of the request, each with its line break */
  follow(part: number, headers = ''): Promise<Socket> {
    const path = `/api/endpoints/query/parts?part=${part}`;
    return this.send(`GET ${path} HTTP/1.1\r\n${headers}Accept: text/event-stream\r\n\r\n`);
  }

  /** @param request without the headers that all have */
  async send(request: string): Promise<Socket> {
    const socket = connect(this.#port, '127.0.0.1');
    this.sockets.add(socket);
    socket.on('error', () => {}).once('close', () => this.sockets.delete(socket));
    await once(socket, 'connect');
    socket.write(request.replace('\r\n', '\r\nHost: bench\r\nX-API-KEY: a-key-for-benchmarks-only\r\n'));
    return socket;
  }

  /** Sends another result to all: at once, or with the next refresh. */
  change(): void {
    this.#process.send('change');
  }

  /** After a garbage collection. */
  memory(): Promise<NodeJS.MemoryUsage> {
    return this.#ask('memory');
  }

  usage(): Promise<Usage> {
    return this.#ask('usage');
  }

  /** The longest turn of the event loop since the last call, in milliseconds of processor time. */
  async longestTurnMs(): Promise<number> {
    return (await this.#ask<{ readonly ms: number }>('turn')).ms;
  }

  /** Cached requests of another process since the last call; the first call begins with them. */
  async probed(): Promise<readonly Probed[]> {
    this.#probe ??= fork(resolve('bench/live/probe.ts'), [String(this.#port)]);
    this.#probe.send('report');
    const [probed] = await once(this.#probe, 'message');
    return probed as Probed[];
  }

  disconnectAll(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  stop(): void {
    this.disconnectAll();
    this.#probe?.kill();
    this.#process.kill();
  }

  async #ask<Answer>(message: 'memory' | 'usage' | 'turn'): Promise<Answer> {
    this.#process.send(message);
    const [answer] = await once(this.#process, 'message');
    return answer as Answer;
  }
}

/** The 99th percentile. */
export const p99Of = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(0.99 * values.length)] ?? Number.NaN;

export const tick = () => new Promise((done) => setTimeout(done, 20));
