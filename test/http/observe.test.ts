import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeKey } from '../../src/keys/key-text.ts';
import { openTestApp } from '../support/test-app.ts';

describe('X-Request-ID', () => {
  let app: Awaited<ReturnType<typeof openTestApp>>;
  beforeAll(async () => {
    app = await openTestApp({});
  });
  afterAll(() => app.close());

  const idOf = async (path: string, headers: Record<string, string> = {}) =>
    (await app.fetch(path, { headers })).headers.get('x-request-id') ?? '';
  const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

  test.each(['abc-123', '0af7651916cd43dd8448eb211c80319c', 'A/b:c=d+e@f.g_h'])(
    '%s is accepted',
    async (id) => {
      expect(await idOf('/healthz', { 'x-request-id': id })).toBe(id);
    },
  );

  test.each([
    ['none', undefined],
    ['text that would have to be quoted', 'a "b"'],
    ['text that is too long', 'a'.repeat(129)],
    ['a key', makeKey().text],
    ['two', 'a, b'],
  ])('with %s, one is made', async (_, id) => {
    expect(await idOf('/healthz', id === undefined ? {} : { 'x-request-id': id })).toMatch(uuid);
  });

  test('every refusal has one, and no two requests share one', async () => {
    const paths = [
      '/api/endpoints/query/logs.all',
      '/nothing',
      '/graphql',
      '/api/endpoints/query/x?api_key=1',
    ];
    const ids = await Promise.all(paths.map((path) => idOf(path)));
    for (const id of ids) expect(id).toMatch(uuid);
    expect(new Set(ids).size).toBe(paths.length);
  });
});
