import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { eventually } from './eventually.ts';
import { freePort } from './free-port.ts';
import { hasProgram } from './has-program.ts';
import { listen } from './listen.ts';

/** Tests of buckets are skipped where `moto` of PyPI is not installed, except in CI. */
export const hasMoto = hasProgram('moto_server', '--help');

/** How the server of a bucket fails: with 503, by no more bytes after the first, or by a cut connection. */
type Fault = 'busy' | 'slow' | 'cut';

export interface Bucket {
  /** Of the server, through which faults are made. */
  readonly url: string;
  /** The headers `Authorization` of its requests, each once. */
  readonly authorizations: Set<string | undefined>;
  /** From now on; of requests for rows only, if `isOfRows`. */
  fail(fault: Fault | undefined, isOfRows?: boolean): void;
  /** An empty bucket, without faults. */
  reset(): Promise<void>;
  close(): Promise<void>;
}

/** Starts a server of S3; `reset` makes the bucket `bucket`. */
export async function startBucket(): Promise<Bucket> {
  const port = await freePort();
  const moto: ChildProcess = spawn('moto_server', ['-H', '127.0.0.1', '-p', String(port)], {
    stdio: 'ignore',
  });
  const origin = `http://127.0.0.1:${port}`;
  await eventually(() => fetch(origin));
  let fault: Fault | undefined;
  let isOfRows = false;
  const authorizations = new Set<string | undefined>();
  const proxy = createServer((incoming, outgoing) => {
    const isFaulty = fault !== undefined && (!isOfRows || incoming.headers.range !== undefined);
    if (isFaulty && fault === 'busy') {
      outgoing.writeHead(503).end('<Error><Code>SlowDown</Code></Error>');
      return;
    }
    const { method, url, headers } = incoming;
    authorizations.add(headers.authorization);
    const passed = request({ host: '127.0.0.1', port, method, path: url, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      if (!isFaulty) return void answer.pipe(outgoing);
      answer.once('data', (bytes: Buffer) => {
        outgoing.write(bytes.subarray(0, 10));
        if (fault === 'cut') setImmediate(() => outgoing.destroy());
      });
    });
    passed.on('error', () => outgoing.destroy());
    incoming.pipe(passed);
  });
  return {
    url: `http://127.0.0.1:${await listen(proxy)}`,
    authorizations,
    fail(next, ofRows = false) {
      fault = next;
      isOfRows = ofRows;
    },
    async reset() {
      fault = undefined;
      authorizations.clear();
      await fetch(`${origin}/moto-api/reset`, { method: 'POST' });
      await fetch(`${origin}/bucket`, { method: 'PUT' });
    },
    async close() {
      proxy.closeAllConnections();
      proxy.close();
      moto.kill();
      if (moto.exitCode === null) await once(moto, 'exit');
    },
  };
}
