import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Engine, Rows } from '../../../../src/engine/engine.ts';
import { engineClosing } from '../../../../src/engine/engine-errors.ts';
import { updateFile } from '../../../../src/keys/file/update-file.ts';
import { eventually } from '../../../support/eventually.ts';
import { type FolderApp, openFolderApp } from '../../../support/folder-app.ts';
import { type KeyFile, writeKeyFile } from '../../../support/key-files.ts';
import { queryText, uuidOf } from '../../../support/query-folder.ts';
import { mergeParts, readParts } from '../../../support/read-parts.ts';

/** Runs of `slow` wait until the test lets them go, or the engine is closed. */
let gate: PromiseWithResolvers<void>;
let started: string[];

const engine: Engine = {
  source: 'gated',
  async run({ query: { name } }): Promise<Rows> {
    started.push(name);
    if (name === 'slow') await gate.promise;
    return { rows: ['{"n":1,"m":2}'], truncated: false };
  },
  close: async () => gate.reject(engineClosing()),
};

const textOf = (at: number, column = 'n', caching = 'disabled') =>
  queryText({ id: uuidOf(at), caching, sql: `SELECT 1 AS ${column}` }).replace('  n: {', `  ${column}: {`);

const files = { 'quick.sql': textOf(1, 'n', '900s'), 'slow.sql': textOf(2) };

const deferring = '{ quick { rowCount } ...@defer { slow { rows { n } } } }';
const answered = { data: { quick: { rowCount: 1 }, slow: { rows: [{ n: 1 }] } }, errors: [] };

describe('while a part is pending', () => {
  let keys: KeyFile;
  let folder: FolderApp;
  beforeEach(async () => {
    gate = Promise.withResolvers();
    gate.promise.catch(() => {});
    started = [];
    keys = writeKeyFile({ ann: {}, bob: {} });
    folder = await openFolderApp(files, { engine, env: { API_KEYS_FILE: keys.path }, level: 'error' });
  });
  afterEach(async () => {
    await folder.close();
    keys.remove();
  });

  const send = (query: string, init: RequestInit & { readonly key?: string } = {}) => {
    const { key = 'ann', ...others } = init;
    const headers = {
      'x-api-key': keys.keyOf(key),
      'content-type': 'application/json',
      accept: 'multipart/mixed, application/json',
    };
    const body = JSON.stringify({ query });
    return folder.app.fetch(
      new Request('http://gateway.test/graphql', { method: 'POST', headers, body, ...others }),
    );
  };

  /** A response of which the first part is read. */
  async function begin() {
    const parts = readParts(await send(deferring));
    const { value: first } = await parts.next();
    expect(first).toMatchObject({ data: { quick: { rowCount: 1 } }, hasNext: true });
    await eventually(() => expect(started).toContain('slow'));
    return async () =>
      mergeParts([...(first === undefined ? [] : [first]), ...(await Array.fromAsync(parts))]);
  }

  test('a key that is removed gets what it has requested before, and nothing else', async () => {
    const finish = await begin();
    await updateFile(keys.path, (text) => {
      const file = JSON.parse(text) as { keys: { id: string }[] };
      const others = file.keys.filter(({ id }) => id !== keys.idOf('ann'));
      return { text: JSON.stringify({ ...file, keys: others }), result: undefined };
    });
    await eventually(async () => expect((await send(deferring)).status).toBe(401));
    gate.resolve();
    expect(await finish()).toEqual(answered);
    expect((await send(deferring, { key: 'bob' })).status).toBe(200);
  });

  test('a query that is changed or removed comes as the request has found it', async () => {
    const [changed, removed] = [await begin(), await begin()];
    folder.queries.write('slow.sql', textOf(2, 'm'));
    folder.app.reload();
    const errorsOf = async (query: string) => (await folder.graphql(query, keys.keyOf('ann'))).errors ?? [];
    await eventually(async () =>
      expect((await errorsOf('{ slow @skip(if: true) { rows { n } } }'))[0]?.message).toContain(
        'Cannot query field "n"',
      ),
    );
    gate.resolve();
    expect(await changed()).toEqual(answered);
    folder.queries.remove('slow.sql');
    folder.app.reload();
    await eventually(async () =>
      expect((await errorsOf('{ slow @skip(if: true) { rowCount } }'))[0]?.message).toContain(
        'Cannot query field "slow"',
      ),
    );
    expect(await removed()).toEqual(answered);
  });

  test('a gateway that is closed ends the response with an error in the part', async () => {
    const finish = await begin();
    const closed = folder.app.close();
    expect(await finish()).toEqual({
      data: { quick: { rowCount: 1 }, slow: null },
      errors: [expect.objectContaining({ path: ['slow'] })],
    });
    await closed;
  });

  test('no condition and no cache makes of a response in parts another one', async () => {
    gate.resolve();
    await send('{ quick { rowCount } }');
    const url = `http://gateway.test/graphql?${new URLSearchParams({ query: deferring })}`;
    const headers = {
      'x-api-key': keys.keyOf('ann'),
      accept: 'multipart/mixed, application/json',
      'accept-encoding': 'gzip, br',
      'if-none-match': '*',
    };
    const response = await folder.app.fetch(new Request(url, { headers }));
    expect(response.status).toBe(200);
    const { headers: got } = response;
    expect(['etag', 'age', 'content-encoding', 'content-length'].map((name) => got.get(name))).toEqual([
      null,
      null,
      null,
      null,
    ]);
    expect(mergeParts(await Array.fromAsync(readParts(response)))).toEqual(answered);
    // The same URL as one answer may be cached, which `Vary` says.
    const whole = await folder.app.fetch(
      new Request(url, { headers: { 'x-api-key': keys.keyOf('ann'), accept: 'application/json' } }),
    );
    expect(await whole.json()).toEqual({ data: answered.data });
    expect(whole.headers.get('vary')).toContain('Accept');
    expect(whole.headers.get('content-type')).toContain('application/json');
  });
});
