import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { securityHeaders } from '../../src/http/finish/response-headers.ts';
import { parseRaw, sendRaw } from '../support/raw-request.ts';
import { type ServedApp, serveTestApp } from '../support/served-app.ts';
import { apiKey } from '../support/test-app.ts';
import { hostileRequests, planted } from './hostile-requests.ts';

/** What no response may contain: keys, saved SQL, names of tables, stack traces and paths of this machine. */
const forbidden = [
  apiKey,
  planted,
  'countif(',
  'edge_logs',
  'postgres_logs',
  '    at ',
  'node_modules',
  process.cwd(),
];

describe('hostile requests', () => {
  let served: ServedApp;
  beforeAll(async () => {
    served = await serveTestApp({ CORS_ORIGINS: 'https://dash.example.com' });
  });
  afterAll(() => served.close());

  test('there are at least 150, with different names', () => {
    expect(hostileRequests.length).toBeGreaterThanOrEqual(150);
    expect(new Set(hostileRequests.map(({ name }) => name)).size).toBe(hostileRequests.length);
  });

  test.each(hostileRequests.map((row) => [row.name, row] as const))(
    'are refused, and nothing secret is said: %s',
    async (_, row) => {
      const text = await sendRaw(served.port, row.bytes);
      const { status, headers, body } = parseRaw(text);
      expect({ status, code: codeOf(body) }).toEqual({ status: row.status, code: row.code });
      expect(headers).toMatchObject(securityHeaders);
      for (const secret of forbidden) expect(text).not.toContain(secret);
      expect(text).not.toContain('Did you mean');
      expect(served.engine.runs).toBe(0);
    },
  );

  test('a valid request succeeds after them, and the log contains none of their secrets', async () => {
    const head = `GET /api/endpoints/query/logs.all?project=p HTTP/1.1\r\nHost: a\r\nX-API-KEY: ${apiKey}`;
    const { status } = parseRaw(await sendRaw(served.port, `${head}\r\nConnection: close\r\n\r\n`));
    expect(status).toBe(200);
    expect(served.engine.runs).toBe(1);
    expect(served.log().split('\n').length).toBeGreaterThan(hostileRequests.length / 2);
    for (const secret of [apiKey, planted]) expect(served.log()).not.toContain(secret);
    expect(served.log()).not.toContain('a bug in the gateway');
  });

  test('the forbidden words are words of the shipped queries', () => {
    const sql = readFileSync('queries/usage.api-counts.sql', 'utf8');
    for (const word of ['countif(', 'edge_logs']) expect(sql).toContain(word);
  });
});

/** The code of an error in REST or GraphQL; undefined if the body has another shape. */
function codeOf(body: string): string | undefined {
  // Chunks, if the server did not know the length.
  const text = body.startsWith('{') ? body : body.slice(body.indexOf('\r\n') + 2, body.lastIndexOf('}') + 1);
  const parsed = JSON.parse(text) as {
    error?: { code: string };
    errors?: readonly { extensions: { code: string } }[];
  };
  if (parsed.error !== undefined) return Object.keys(parsed).length === 1 ? parsed.error.code : undefined;
  return parsed.errors?.[0]?.extensions.code;
}
