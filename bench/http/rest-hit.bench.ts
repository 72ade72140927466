import type { Bench } from '../run.ts';
import { compareInTurns } from './compare.ts';
import { requestBytes } from './load.ts';
import { bytesOf, makeFolder, rowCounts, startBare, startOver } from './sides.ts';

/** What a hit must reach of a bare server that writes the plain bytes. */
const goals = { 24: 0.7, 1000: 0.9 } as const;

const bench: Bench = {
  title: 'REST: cached results against a bare node:http server that writes the same bytes',
  async *run() {
    const folder = makeFolder();
    const gateway = await startOver(folder);
    const port = Number(new URL(gateway.origin).port);
    const { pid } = gateway.child;
    try {
      for (const rows of rowCounts) {
        const path = `/api/endpoints/query/rows-${rows}`;
        const url = `${gateway.origin}${path}`;
        const bare = await startBare(folder, await bytesOf(url, { 'x-api-key': 'key' }));
        const { headers } = await fetch(url, { headers: { 'x-api-key': 'key' } });
        const head = [`GET ${path} HTTP/1.1`, 'Host: bench', 'X-API-KEY: key'];
        const request = (...more: string[]) => {
          const bytes = requestBytes([...head, ...more]);
          return () => bytes;
        };
        const against = { name: 'bare', port: bare.port, pid: bare.pid, nextRequest: request() };
        const side = (...more: string[]) => ({ name: 'gateway', port, pid, nextRequest: request(...more) });
        try {
          yield await compareInTurns({ title: `${rows}×8`, side: side(), against, goal: goals[rows] });
          yield rows === 24
            ? await compareInTurns({
                title: '304, against 24×8 plain',
                side: side(`If-None-Match: ${headers.get('etag')}`),
                against,
                goal: 0.7,
              })
            : await compareInTurns({
                title: `${rows}×8 as zstd, against plain`,
                side: side('Accept-Encoding: zstd'),
                against,
                goal: 1.3,
              });
        } finally {
          bare.end();
        }
      }
    } finally {
      await gateway.end();
      folder.remove();
    }
  },
};

export default bench;
