import { mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SignJWT } from 'jose';
import { digestOf, makeKey } from '../../src/keys/key-text.ts';
import { startGateway } from '../../test/support/gateway-process.ts';
import { queryText } from '../../test/support/queries.ts';
import type { Bench } from '../run.ts';
import { compareInTurns } from './compare.ts';
import { requestBytes } from './load.ts';

const secret = 'a secret of at least thirty-two bytes';

/** What a hit with a token must reach of the same with a key, both for one tenant. */
const goal = 0.9;

const bench: Bench = {
  title: 'REST hits with a JSON Web Token against the same with a key',
  async *run() {
    const folder = mkdtempSync(join(tmpdir(), 'querygate-bench-'));
    const key = makeKey();
    const entry = { id: key.id, name: 'one', sha256: digestOf(key.text).toString('hex'), tenants: ['abc'] };
    const file = join(folder, 'keys.json');
    writeFileSync(file, JSON.stringify({ keys: [entry] }));
    writeFileSync(
      join(folder, 'hit.sql'),
      queryText({
        name: 'hit',
        caching: ['caching: 86400s'],
        columns: { x: 'integer' },
        parameters: { project: '{ type: string, tenant: true, required: true, description: P. }' },
        sql: 'select length(@project) as x',
      }),
    );
    const env = { API_KEYS_FILE: file, JWT_SECRET: secret, QUERIES_DIR: folder, DATA_DIR: folder };
    const gateway = await startGateway(env, openSync(join(folder, 'log'), 'w'));
    const token = await new SignJWT({ tenants: ['abc'], endpoints: ['hit'], permissions: ['fresh'] })
      .setProtectedHeader({ alg: 'HS256' })
      .setSubject('user-17')
      .setAudience('querygate')
      .setExpirationTime('1h')
      .sign(new TextEncoder().encode(secret));
    const port = Number(new URL(gateway.origin).port);
    const side = (name: string, header: string) => {
      const request = requestBytes([
        'GET /api/endpoints/query/hit?project=abc HTTP/1.1',
        'Host: bench',
        header,
      ]);
      return { name, port, nextRequest: () => request };
    };
    try {
      yield await compareInTurns({
        title: 'JWT',
        side: side('JWT', `Authorization: Bearer ${token}`),
        against: side('key', `X-API-KEY: ${key.text}`),
        goal,
      });
    } finally {
      await gateway.end();
      rmSync(folder, { recursive: true });
    }
  },
};

export default bench;
