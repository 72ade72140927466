import { mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startGateway } from '../../test/support/gateway-process.ts';
import { queryText } from '../../test/support/queries.ts';
import { atMost } from '../goals.ts';
import type { Bench } from '../run.ts';
import { compareInTurns } from './compare.ts';
import { postGraphql } from './graphql-sides.ts';
import { bytesOf } from './sides.ts';

const rowCount = 100;

/** About as long and as wide as the records of `logs.all`. */
const text = (length: number) => `repeat('x', ${length})`;
const record = `[struct(
  [struct('GET' as method, concat('/rest/v1/', cast(n as string)) as path, ${text(60)} as url, ${text(20)} as host, ${text(30)} as search,
    [struct(${text(40)} as accept, ${text(15)} as cf_connecting_ip, ${text(120)} as user_agent, ${text(30)} as x_client_info)] as headers,
    [struct(${text(20)} as city, ${text(2)} as country, 64496 as asn, ${text(12)} as timezone, ${text(20)} as tls_cipher,
      [struct(false as verified_bot, 99 as score)] as bot_management)] as cf)] as request,
  [struct(200 as status_code, n as origin_time, [struct(${text(16)} as content_type, ${text(29)} as date)] as headers)] as response
)]`;

function query(name: string, fields: string): string {
  return queryText({
    name,
    caching: ['caching: 86400s'],
    columns: { id: 'string', metadata: `{ type: record, repeated: true, description: Nested.${fields} }` },
    sql: `select to_hex(md5(cast(n as string))) as id, ${record} as metadata from unnest(generate_array(1, ${rowCount})) as n`,
  });
}

const selections = {
  whole: 'free { rows { id metadata } }',
  every:
    'typed { rows { id metadata { request { method path url host search headers { accept cfConnectingIp userAgent xClientInfo } cf { city country asn timezone tlsCipher botManagement { verifiedBot score } } } response { statusCode originTime headers { contentType date } } } } }',
  three: 'typed { rows { id metadata { request { method path } response { statusCode } } } }',
  one: 'typed { rows { id metadata { request { path } } } }',
} as const;

const bench: Bench = {
  title: `GraphQL by POST: fields of records over ${rowCount} cached rows, against the whole records as JSON`,
  async *run() {
    const folder = mkdtempSync(join(tmpdir(), 'querygate-bench-'));
    writeFileSync(join(folder, 'typed.sql'), query('typed', ''));
    writeFileSync(join(folder, 'free.sql'), query('free', ', fields: any'));
    const env = { QUERIES_DIR: folder, DATA_DIR: folder, API_KEY: 'key' };
    const gateway = await startGateway(env, openSync(join(folder, 'log'), 'a'));
    const port = Number(new URL(gateway.origin).port);
    try {
      const headers = { 'x-api-key': 'key', 'content-type': 'application/json' };
      const bytes: Record<string, number> = {};
      for (const [name, selection] of Object.entries(selections)) {
        const body = await bytesOf(
          `${gateway.origin}/graphql`,
          headers,
          JSON.stringify({ query: `{ ${selection} }` }),
        );
        bytes[name] = body.byteLength;
      }
      const { whole = 0, three = 0, one = 0, every = 0 } = bytes;
      yield atMost(
        `bytes: whole records ${whole}, every field ${every}, three fields ${three}, one field ${one}`,
        three / whole,
        0.25,
      );
      for (const name of ['one', 'three', 'every'] as const) {
        yield await compareInTurns({
          title: `${name} of the fields, a new operation each time`,
          side: { name: 'selected', port, nextRequest: newOperations(selections[name]) },
          against: { name: 'whole', port, nextRequest: newOperations(selections.whole) },
          goal: name === 'every' ? 0.2 : 0.4,
        });
      }
    } finally {
      await gateway.end();
      rmSync(folder, { recursive: true });
    }
  },
};

export default bench;

/** Operations that no server has seen. */
function newOperations(selection: string): () => Buffer {
  let count = 0;
  return () => {
    count += 1;
    return postGraphql(`query Q${count} { a${count}: ${selection} }`);
  };
}
