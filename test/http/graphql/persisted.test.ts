import { hash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { StartError } from '../../../src/errors.ts';
import { buildAutomaticDocuments } from '../../../src/http/graphql/persisted/automatic.ts';
import { loadTrustedDocuments } from '../../../src/http/graphql/persisted/trusted.ts';
import { type KeyFile, writeKeyFile } from '../../support/key-files.ts';
import { queryText } from '../../support/queries.ts';
import { apiKey, openTestApp, type TestApp } from '../../support/test-app.ts';

const sha256 = (text: string) => hash('sha256', text);
const named = (digest: string) => ({ persistedQuery: { version: 1, sha256Hash: digest } });
const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };

const post = async (app: TestApp, body: object, more: Record<string, string> = {}) => {
  const response = await app.fetch('/graphql', {
    method: 'POST',
    headers: { ...headers, ...more },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as Answer };
};

const get = async (app: TestApp, members: Record<string, string>) => {
  const response = await app.fetch(`/graphql?${new URLSearchParams(members)}`, { headers });
  return { status: response.status, headers: response.headers, body: (await response.json()) as Answer };
};

interface Answer {
  data?: Record<string, unknown>;
  errors?: { message: string; extensions: { code: string } }[];
}

const document =
  'query ($project: String!) { usageApiCounts(project: $project, interval: HOURLY) { rowCount } }';
const variables = { project: 'p' };
const answer = { data: { usageApiCounts: { rowCount: 0 } } };

describe('automatic persisted queries', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await openTestApp({});
  });
  afterAll(() => app.close());

  test('a hash that is not known is reported as clients expect it; sent with its document, it is known', async () => {
    const extensions = named(sha256(document));
    const missing = await post(app, { extensions, variables });
    expect(missing.status).toBe(200);
    expect(missing.body.errors).toMatchObject([
      { message: 'PersistedQueryNotFound', extensions: { code: 'PERSISTED_QUERY_NOT_FOUND' } },
    ]);
    const strict = { accept: 'application/graphql-response+json' };
    expect((await post(app, { extensions, variables }, strict)).status).toBe(404);

    expect((await post(app, { query: document, extensions, variables })).body).toEqual(answer);
    for (let round = 0; round < 3; round += 1) {
      expect((await post(app, { extensions, variables })).body).toEqual(answer);
      // Some clients send an empty document, and hexadecimal digits in upper case.
      const other = named(sha256(document).toUpperCase());
      expect((await post(app, { query: '', extensions: other, variables })).body).toEqual(answer);
    }
  });

  test('by GET too, with the headers of a cacheable response', async () => {
    const query = '{ usageApiCounts(project: "q", interval: DAILY) { rowCount } }';
    const extensions = JSON.stringify(named(sha256(query)));
    const missing = await get(app, { extensions });
    expect(missing.body.errors?.[0]?.message).toBe('PersistedQueryNotFound');
    expect(missing.headers.get('cache-control')).toBe('no-store');
    await get(app, { query, extensions });
    const found = await get(app, { extensions });
    expect(found.body).toEqual(answer);
    expect(found.headers.get('etag')).not.toBeNull();
    expect(found.headers.get('cache-control')).toContain('max-age');
  });

  test('the same document has other variables, operations and callers', async () => {
    const query = `query A($project: String!) { a: usageApiCounts(project: $project, interval: HOURLY) { rowCount } }
      query B { __typename }`;
    const extensions = named(sha256(query));
    await post(app, { query, extensions, operationName: 'B' });
    expect((await post(app, { extensions, operationName: 'B' })).body).toEqual({
      data: { __typename: 'Query' },
    });
    const a = await post(app, { extensions, operationName: 'A', variables: { project: '(' } });
    expect(a.body.errors?.[0]?.extensions.code).toBe('INVALID_PARAMETER');
    expect((await post(app, { extensions, operationName: 'A' })).status).toBe(400);
    const catalogQuery = '{ endpoints { name } }';
    const ofCatalog = named(sha256(catalogQuery));
    await post(app, { query: catalogQuery, extensions: ofCatalog });
    expect((await post(app, { extensions: ofCatalog })).body.data?.endpoints).toHaveLength(3);
  });

  test.each([
    [
      'a hash of another text',
      { query: '{ __typename }', extensions: named(sha256('other')) },
      'is not the SHA-256',
    ],
    [
      'another version',
      { extensions: { persistedQuery: { version: 2, sha256Hash: 'ab' } } },
      'version: must be 1',
    ],
    ['no hash', { extensions: { persistedQuery: { version: 1 } } }, 'sha256Hash: must be the hash'],
    ['nothing', { extensions: {} }, 'query: is missing'],
    ['null', { query: null }, 'query: is missing'],
    ['a documentId', { documentId: 'x' }, 'query: is missing'],
  ])('%s is refused with words', async (_, body, message) => {
    const refused = await post(app, body);
    expect(refused.status).toBe(400);
    expect(refused.body.errors?.[0]?.message).toContain(message);
    expect(refused.body.errors?.[0]?.extensions.code).toBe('BAD_REQUEST');
  });

  test('a text that does not match its hash is not stored', async () => {
    const [good, evil] = ['{ a: __typename }', '{ b: __typename }'];
    await post(app, { query: evil, extensions: named(sha256(good)) });
    const { body } = await post(app, { extensions: named(sha256(good)) });
    expect(body.errors?.[0]?.message).toBe('PersistedQueryNotFound');
  });

  test('documents keep their limits and errors', async () => {
    const query = `{ ${'a'.repeat(301)}: __typename }`;
    const extensions = named(sha256(query));
    for (const members of [{ query, extensions }, { extensions }, { extensions }]) {
      expect((await post(app, members)).body.errors?.[0]?.extensions.code).toBe('OPERATION_TOO_LARGE');
    }
  });
});

describe('what is stored', () => {
  const register = (documents: ReturnType<typeof buildAutomaticDocuments>, query: string, owner: string) =>
    documents.documentOf({ query, extensions: named(sha256(query)) }, owner);
  const find = (documents: ReturnType<typeof buildAutomaticDocuments>, query: string) => {
    try {
      return documents.documentOf({ extensions: named(sha256(query)) }, 'other');
    } catch {
      return undefined;
    }
  };
  const text = (name: string) => `{ ${name} } #${' '.repeat(200)}`;

  test('is bounded; one key cannot push out the documents of others', () => {
    const documents = buildAutomaticDocuments(40_000);
    register(documents, text('mine'), 'a');
    for (let at = 0; at < 1_000; at += 1) register(documents, text(`flood${at}`), 'b');
    expect(find(documents, text('mine'))).toBe(text('mine'));
    expect(find(documents, text('flood999'))).toBe(text('flood999'));
    const kept = Array.from({ length: 1_000 }, (_, at) => find(documents, text(`flood${at}`))).filter(
      Boolean,
    );
    expect(kept.length).toBeGreaterThan(5);
    expect(kept.length).toBeLessThanOrEqual(40_000 / 4 / (2 * text('').length));
  });

  test('is bounded over all keys, and the latest are kept', () => {
    const documents = buildAutomaticDocuments(40_000);
    for (let at = 0; at < 500; at += 1) register(documents, text(`q${at}`), `key${at}`);
    const kept = Array.from({ length: 500 }, (_, at) => find(documents, text(`q${at}`))).filter(Boolean);
    expect(kept.length).toBeLessThanOrEqual(40_000 / (2 * text('').length));
    expect(kept.at(-1)).toBe(text('q499'));
    register(documents, 'x'.repeat(20_000), 'a');
    expect(find(documents, 'x'.repeat(20_000))).toBeUndefined();
  });
});

describe('what a key may see', () => {
  let app: TestApp;
  let file: KeyFile;
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'querygate-test-'));
    for (const name of ['open.one', 'secret.two']) {
      writeFileSync(
        join(folder, `${name}.sql`),
        queryText({ name, columns: { x: 'integer' }, sql: 'select 1 as x' }),
      );
    }
    file = writeKeyFile({ narrow: { endpoints: ['open.one'] }, all: {} });
    app = await openTestApp({}, { QUERIES_DIR: folder, API_KEYS_FILE: file.path });
  });
  afterAll(async () => {
    await app.close();
    file.remove();
    rmSync(folder, { recursive: true });
  });

  test('a hash shows the schema and the endpoints of the key that sends it', async () => {
    const query = '{ __schema { types { name } } }';
    const extensions = named(sha256(query));
    const all = await post(app, { query, extensions }, { 'x-api-key': file.keyOf('all') });
    expect(JSON.stringify(all.body)).toContain('SecretTwo');
    const key = { 'x-api-key': file.keyOf('narrow') };
    for (let round = 0; round < 3; round += 1) {
      const { body } = await post(app, { extensions }, key);
      expect(body.data).toBeDefined();
      expect(JSON.stringify(body)).not.toContain('SecretTwo');
    }
    const url = `/graphql?extensions=${encodeURIComponent(JSON.stringify(extensions))}`;
    const response = await app.fetch(url, { headers: key });
    expect(await response.text()).not.toContain('SecretTwo');

    const secret = '{ secretTwo { rowCount } }';
    const ofSecret = { extensions: named(sha256(secret)) };
    await post(app, { query: secret, ...ofSecret }, { 'x-api-key': file.keyOf('all') });
    const refused = await post(app, ofSecret, key);
    expect(refused.body.errors?.[0]?.extensions.code).toBe('FORBIDDEN');
  });
});

describe('trusted documents', () => {
  const folder = mkdtempSync(join(tmpdir(), 'querygate-test-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const write = (name: string, content: unknown) => {
    const file = join(folder, name);
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
    return file;
  };
  const other = '{ __typename }';
  const manifest = {
    format: 'apollo-persisted-query-manifest',
    version: 1,
    operations: [{ id: sha256(document), name: 'A', type: 'query', body: document }],
  };

  test.each([
    ['a map', { [sha256(document)]: document }],
    ['a map with prefixes', { [`sha256:${sha256(document)}`]: document }],
    ['a manifest of Apollo', manifest],
  ])('of %s are answered, and no others', async (name, content) => {
    const env = { TRUSTED_DOCUMENTS: write(`${name}.json`, content) };
    const app = await openTestApp({}, env);
    for (let round = 0; round < 2; round += 1) {
      const digest = sha256(document);
      expect((await post(app, { extensions: named(digest), variables })).body).toEqual(answer);
      expect((await post(app, { documentId: digest, variables })).body).toEqual(answer);
      expect((await post(app, { documentId: `sha256:${digest}`, variables })).body).toEqual(answer);
      expect((await post(app, { query: document, variables })).body).toEqual(answer);
      expect((await post(app, { query: document, documentId: digest, variables })).body).toEqual(answer);
      const unknown = await post(app, { query: document, documentId: 'other', variables });
      expect(unknown.body.errors?.[0]?.message).toBe('PersistedQueryNotFound');
      const parameters = { documentId: digest, variables: JSON.stringify(variables) };
      expect((await get(app, parameters)).body).toEqual(answer);
      for (const members of [{ query: other }, { query: other, extensions: named(sha256(other)) }]) {
        const refused = await post(app, members);
        expect(refused.status).toBe(403);
        expect(refused.body.errors).toMatchObject([{ extensions: { code: 'FORBIDDEN' } }]);
      }
      for (const members of [{ extensions: named(sha256(other)) }, { documentId: 'other' }]) {
        expect((await post(app, members)).body.errors?.[0]?.message).toBe('PersistedQueryNotFound');
      }
      expect((await post(app, { variables })).body.errors?.[0]?.message).toContain('query: is missing');
    }
    await app.close();
  });

  test('keep ids that differ in case, unless these are hashes', () => {
    const digest = sha256(document);
    const file = write('cases.json', { Ab: document, aB: other, [digest.toUpperCase()]: document });
    expect([...loadTrustedDocuments(file).keys()]).toEqual(['Ab', 'aB', digest]);
  });

  test.each([
    ['no file', join(folder, 'none.json')],
    ['no JSON', write('text.json', 'query { a }')],
    ['a list', write('list.json', [document])],
    ['a document that cannot be parsed', write('wrong.json', { abc: 'query {' })],
    ['a mutation', write('mutation.json', { abc: 'mutation { a }' })],
  ])('%s stops the start', (_, file) => {
    expect(() => loadTrustedDocuments(file)).toThrow(StartError);
    expect(() => loadTrustedDocuments(file)).toThrow(file);
  });

  test('one that does not fit the schema is logged at start', async () => {
    const lines: string[] = [];
    const log = pino({ level: 'warn' }, { write: (line) => void lines.push(line) });
    const file = write('unknown.json', { old: '{ goneEndpoint { rowCount } }', good: document });
    const app = await openTestApp({}, { TRUSTED_DOCUMENTS: file }, { log });
    await app.close();
    const [line, ...others] = lines.filter((one) => !one.includes('Tables without rows'));
    expect(line).toContain('"document":"old"');
    expect(line).toContain('goneEndpoint');
    expect(others).toEqual([]);
  });
});
