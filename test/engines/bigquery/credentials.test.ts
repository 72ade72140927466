import { rm, writeFile } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { openClient } from '../../../src/engines/bigquery/api/client.ts';
import { openCredentials } from '../../../src/engines/bigquery/api/credentials.ts';
import { completeBody, inSequence, reply, startFakeBigquery } from '../../support/fake-bigquery.ts';
import { listen } from '../../support/listen.ts';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  vi.unstubAllEnvs();
  for (const close of closing.splice(0).toReversed()) await close();
});

/** Credentials whose tokens come from a server here, as from one of workload identity federation. */
async function withTokenServer(respond: (response: ServerResponse, at: number) => void) {
  let requests = 0;
  const server = createServer((request, response) => {
    request.resume().on('end', () => respond(response, requests++));
  });
  const port = await listen(server);
  closing.push(
    () => server.close(),
    () => server.closeAllConnections(),
  );
  const file = join(tmpdir(), `credentials-${process.pid}-${port}.json`);
  await writeFile(
    file,
    JSON.stringify({
      type: 'external_account',
      audience: '//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/providers/x',
      subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
      token_url: `http://127.0.0.1:${port}/v1/token`,
      credential_source: { file },
    }),
  );
  closing.push(() => rm(file));
  vi.stubEnv('GOOGLE_APPLICATION_CREDENTIALS', file);
  vi.stubEnv('NO_PROXY', '127.0.0.1');
  const options = { projectId: 'our-project', dataset: 'logs' };
  return { options, credentials: openCredentials(options, 'https://bigquery.googleapis.com') };
}

const sendToken = (response: ServerResponse, at: number) =>
  response
    .writeHead(200, { 'content-type': 'application/json' })
    .end(JSON.stringify({ access_token: `token-${at}`, expires_in: 3600, token_type: 'Bearer' }));

const url = 'https://bigquery.googleapis.com/bigquery/v2/projects/our-project/queries';

test('a request for a token that hangs is not the one of later calls', async () => {
  const { credentials } = await withTokenServer((response, at) => {
    if (at > 0) sendToken(response, at);
  });
  using clock = vi.spyOn(performance, 'now').mockReturnValue(0);
  const authorize = (ms: number) => credentials.authorize(url, AbortSignal.timeout(ms));
  const hanging = authorize(300);
  await Promise.resolve();
  clock.mockReturnValue(10_001);
  await expect(hanging).rejects.toThrow('timeout');
  expect((await authorize(3_000)).headers.get('authorization')).toBe('Bearer token-1');
});

test('a request for a token that takes longer than a call serves the next one', async () => {
  const { credentials } = await withTokenServer((response, at) =>
    setTimeout(() => sendToken(response, at), 500),
  );
  await expect(credentials.authorize(url, AbortSignal.timeout(200))).rejects.toThrow('timeout');
  const { headers } = await credentials.authorize(url, AbortSignal.timeout(3_000));
  expect(headers.get('authorization')).toBe('Bearer token-0');
});

test.each([
  [408, 'ENGINE_UNAVAILABLE'],
  [429, 'ENGINE_BUSY'],
  [503, 'ENGINE_UNAVAILABLE'],
  [400, 'ENGINE_MISCONFIGURED'],
])('%i of the server of tokens is %s', async (status, code) => {
  const { credentials } = await withTokenServer((response) => response.writeHead(status).end('{}'));
  await expect(credentials.authorize(url, AbortSignal.timeout(3_000))).rejects.toMatchObject({ code });
});

test('a call whose token is rejected is made again with another one, once', async () => {
  const fake = await startFakeBigquery();
  const { credentials, options } = await withTokenServer(sendToken);
  const client = openClient({ ...options, apiEndpoint: fake.endpoint }, credentials);
  closing.push(
    () => fake.close(),
    () => client.close(),
  );
  const call = async () =>
    (await client.call({ method: 'POST', path: '/queries', body: {} }, { timeoutMs: 3_000 })).status;

  fake.respondWith(inSequence(reply({}, 401), reply(completeBody())));
  expect(await call()).toBe(200);
  expect(fake.received.map(({ authorization }) => authorization)).toEqual([
    'Bearer token-0',
    'Bearer token-1',
  ]);

  fake.respondWith(reply({}, 401));
  expect(await call()).toBe(401);
  expect(fake.received).toHaveLength(2);
});
