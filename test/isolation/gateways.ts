import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { Agent, type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, zstdDecompress } from 'node:zlib';
import { pino } from 'pino';
import { openServer } from '../../src/http/node/open-server.ts';
import { listen } from '../support/listen.ts';
import { now, openTestApp, type Rows } from '../support/test-app.ts';

export interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  /** Decompressed. */
  readonly text: string;
}

interface Request {
  readonly method: string;
  /** As it is sent. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body?: string;
}

/** Some gateways with sockets, over the same rows. */
export interface Gateways {
  readonly count: number;
  send(gateway: number, request: Request): Promise<Answer>;
  /** Everything that they have logged since the last call. */
  takeLog(): string;
  close(): Promise<void>;
}

/** The catalog of the tests: the shipped queries, and those of this folder. */
function makeCatalog(): string {
  const folder = mkdtempSync(join(tmpdir(), 'querygate-test-'));
  cpSync('queries', folder, { recursive: true });
  cpSync('test/isolation/queries', folder, { recursive: true });
  return folder;
}

/** @param envs the settings of each gateway */
export async function openGateways(rows: Rows, envs: readonly Record<string, string>[]): Promise<Gateways> {
  const catalog = makeCatalog();
  const startedAt = performance.now();
  const clock = () => new Date(now.getTime() + performance.now() - startedAt);
  let lines: string[] = [];
  const log = pino({ level: 'trace' }, { write: (line) => void lines.push(line) });
  const opened = await Promise.all(
    envs.map(async (env) => {
      const app = await openTestApp(rows, { QUERIES_DIR: catalog, ...env }, { clock, log });
      const { server } = openServer(app.listener, { log });
      return { app, server, port: await listen(server) };
    }),
  );
  const agent = new Agent({ keepAlive: true });
  return {
    count: opened.length,
    send: (gateway, sent) => send(agent, opened[gateway % opened.length]?.port ?? 0, sent),
    takeLog() {
      const text = lines.join('');
      lines = [];
      return text;
    },
    async close() {
      agent.destroy();
      for (const { app, server } of opened) {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
        await app.close();
      }
      rmSync(catalog, { recursive: true });
    },
  };
}

function send(agent: Agent, port: number, { method, path, headers, body }: Request): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request({ agent, port, host: '127.0.0.1', method, path, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        decode(Buffer.concat(chunks), response.headers['content-encoding']).then(
          (text) => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
          reject,
        );
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

const decoders: Readonly<Record<string, (bytes: Buffer) => Promise<Buffer>>> = {
  gzip: promisify(gunzip),
  br: promisify(brotliDecompress),
  zstd: promisify(zstdDecompress),
};

async function decode(bytes: Buffer, coding = ''): Promise<string> {
  return ((bytes.length > 0 ? await decoders[coding]?.(bytes) : undefined) ?? bytes).toString();
}
