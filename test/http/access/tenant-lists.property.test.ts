import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type KeyFile, writeKeyFile } from '../../support/key-files.ts';
import { queryText } from '../../support/queries.ts';
import { apiKey, openTestApp, type TestApp } from '../../support/test-app.ts';
import { times } from '../../support/nightly.ts';

const tenants = ['a', 'b', 'c', 'A', 'a,b', '.*', 'a|b', "a' or true --", '%', 'toString'];
const bound = new Set(['a', 'c', 'a,b']);

const list = (rest = '') =>
  `{ type: string, repeated: true, tenant: true, ${rest} description: Whose rows are returned. }`;
const one = (rest = '') => `{ type: string, tenant: true, ${rest} description: Whose rows are returned. }`;

const byList = 'select l.project, l.n from logs as l where l.project in unnest(@projects) order by l.n';
const byOne = 'select l.project, l.n from logs as l where l.project = @projects order by l.n';
const columns = { project: 'string', n: 'integer' };
const queries = {
  listed: { columns, parameters: { projects: list() }, sql: byList },
  required: { columns, parameters: { projects: list('required: true,') }, sql: byList },
  foreign: { columns, parameters: { projects: list("default: ['a', 'b'],") }, sql: byList },
  own: { columns, parameters: { projects: list("default: ['a', 'c'], max_items: 3,") }, sql: byList },
  cached: { columns, caching: ['caching: 60s'], parameters: { projects: list() }, sql: byList },
  single: { columns, parameters: { projects: one() }, sql: byOne },
  joined: {
    columns,
    parameters: { projects: list() },
    sql: 'select l.project, o.n from logs as l join logs as o on o.project = l.project and o.n = l.n where l.project in unnest(@projects)',
  },
} as const;
type Name = keyof typeof queries;

/** One request in any form, with the values that it means. */
interface Sent {
  readonly name: Name;
  /** Undefined: the parameter is absent. */
  readonly values: readonly string[] | undefined;
  readonly form: (typeof forms)[number];
}
const forms = [
  'get',
  'graphql',
  'graphql literal',
  'logflare get',
  'logflare json',
  'logflare form',
] as const;

const text = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...tenants) },
  { weight: 3, arbitrary: fc.constantFrom('a', 'c', 'a,b') },
  {
    weight: 1,
    arbitrary: fc.constantFrom('', ' a', 'a ', 'a\0', 'null', '["b"]', 'b,c', 'a%2Cb', 'a&projects=b'),
  },
  { weight: 1, arbitrary: fc.string({ maxLength: 8 }) },
);
const request: fc.Arbitrary<Sent> = fc.record({
  name: fc.constantFrom(...(Object.keys(queries) as Name[])),
  values: fc.option(fc.array(text, { maxLength: 5 }), { nil: undefined, freq: 6 }),
  form: fc.constantFrom(...forms),
});

describe('a key that is bound to tenants, and a list of them', () => {
  const folder = mkdtempSync(join(tmpdir(), 'querygate-tenant-lists-'));
  let keys: KeyFile;
  let strict: TestApp;
  let logflare: TestApp;
  beforeAll(async () => {
    mkdirSync(join(folder, 'tables'));
    const fields = [
      { name: 'project', type: 'STRING' },
      { name: 'n', type: 'INTEGER' },
    ];
    writeFileSync(join(folder, 'tables', 'logs.json'), JSON.stringify(fields));
    for (const [name, draft] of Object.entries(queries))
      writeFileSync(join(folder, `${name}.sql`), queryText({ ...draft, name }));
    keys = writeKeyFile({ bound: { tenants: [...bound] } });
    const rows = { logs: tenants.map((project, n) => ({ project, n })) };
    const env = { QUERIES_DIR: folder, API_KEYS_FILE: keys.path };
    strict = await openTestApp(rows, env);
    logflare = await openTestApp(rows, { ...env, COMPAT: 'logflare' });
  });
  afterAll(async () => {
    await strict?.close();
    await logflare?.close();
    keys?.remove();
    rmSync(folder, { recursive: true });
  });

  async function send({ name, values, form }: Sent, key: string) {
    const headers = { 'x-api-key': key };
    const pairs = (values ?? []).map((value): [string, string] => ['projects', value]);
    const query = String(new URLSearchParams(pairs));
    const path = `/api/endpoints/query/${name}`;
    const post = (type: string, body: string) =>
      ({ method: 'POST', headers: { ...headers, 'content-type': type }, body }) as const;
    switch (form) {
      case 'get':
        return strict.fetch(`${path}?${query}`, { headers });
      case 'logflare get':
        return logflare.fetch(`${path}?${query}`, { headers });
      case 'logflare form':
        return logflare.fetch(path, post('application/x-www-form-urlencoded', query));
      case 'logflare json':
        return logflare.fetch(path, post('application/json', JSON.stringify({ projects: values })));
      case 'graphql': {
        const type = name === 'single' ? 'String' : name === 'required' ? '[String!]!' : '[String!]';
        const document = `query ($v: ${type}) { ${name}(projects: $v) { rows { project } } }`;
        const given = name === 'single' ? values?.at(-1) : values;
        const body = { query: document, variables: given === undefined ? {} : { v: given } };
        return strict.fetch('/graphql', post('application/json', JSON.stringify(body)));
      }
      case 'graphql literal': {
        const given = name === 'single' ? values?.at(-1) : values;
        const args = given === undefined ? '' : `(projects: ${JSON.stringify(given)})`;
        const body = { query: `{ ${name}${args} { rows { project } } }` };
        return strict.fetch('/graphql', post('application/json', JSON.stringify(body)));
      }
    }
  }

  /** The projects of the returned rows; undefined if the request was refused. */
  async function projects(sent: Sent, key: string): Promise<readonly string[] | undefined> {
    const response = await send(sent, key);
    const body = (await response.json()) as {
      readonly result?: readonly { readonly project: string }[];
      readonly data?: Readonly<Record<string, { rows: { project: string }[] } | null>> | null;
    };
    const rows = body.result ?? body.data?.[sent.name]?.rows;
    return rows?.map(({ project }) => project);
  }

  test('no request returns rows of another tenant', async () => {
    await fc.assert(
      fc.asyncProperty(request, async (sent) => {
        // Another key's request with the same text may have been bound before.
        await projects(sent, apiKey);
        const found = (await projects(sent, keys.keyOf('bound'))) ?? [];
        for (const project of found) expect(bound.has(project), JSON.stringify(sent)).toBe(true);
        // Those of its own that it names are not withheld.
        const { name, values = [], form } = sent;
        const isPlain = values.length > 0 && values.length <= 3 && values.every((value) => bound.has(value));
        if (isPlain && name !== 'single' && form !== 'logflare json')
          expect(new Set(found), JSON.stringify(sent)).toEqual(new Set(values));
      }),
      { numRuns: times(200) },
    );
  }, 120_000);

  test('what is refused, and why', async () => {
    const get = async (query: string, name: Name = 'listed') => {
      const headers = { 'x-api-key': keys.keyOf('bound') };
      const response = await strict.fetch(`/api/endpoints/query/${name}?${query}`, { headers });
      const body = (await response.json()) as {
        error?: { code: string; message: string };
        result?: unknown[];
      };
      return body.error === undefined ? body.result?.length : `${body.error.code} ${body.error.message}`;
    };
    const advice = 'send only tenants that the key is restricted to, spelled exactly: a, a,b, c';
    const right = `this key has no access to it; ${advice}`;
    expect(await get('projects=a&projects=c&projects=a')).toBe(2);
    expect(await get('projects=a&projects=b')).toBe(`FORBIDDEN projects: value 2: ${right}`);
    expect(await get('')).toBe(`FORBIDDEN projects: is missing; ${advice}`);
    expect(await get('projects=')).toBe(`FORBIDDEN projects: is missing; ${advice}`);
    expect(await get('projects=&projects=a')).toMatch(/^INVALID_PARAMETER projects: value 1: is empty/);
    expect(await get('', 'foreign')).toBe(`FORBIDDEN projects: value 2: ${right}`);
    expect(await get('', 'own')).toBe(2);
    expect(await get('projects=a&projects=a&projects=a&projects=a', 'own')).toMatch(/^INVALID_PARAMETER/);
    expect(await get('projects=a&projects=a', 'single')).toMatch(/^INVALID_PARAMETER .*repeated/);
  });

  test('SQL that does not filter by the list is refused', async () => {
    const broken = mkdtempSync(join(tmpdir(), 'querygate-tenant-lists-'));
    mkdirSync(join(broken, 'tables'));
    writeFileSync(
      join(broken, 'tables', 'logs.json'),
      JSON.stringify([
        { name: 'project', type: 'STRING' },
        { name: 'n', type: 'INTEGER' },
      ]),
    );
    const wrong = [
      'select l.project, l.n from logs as l where l.project not in unnest(@projects)',
      'select l.project, l.n from logs as l where l.project in unnest(@projects) or l.n > 0',
      'select l.project, l.n from logs as l where array_length(@projects) = 0 or l.project in unnest(@projects)',
      'select l.project, l.n from logs as l where l.project in unnest(array_concat(@projects, ["b"]))',
      'select l.project, l.n from logs as l where not (l.project in unnest(@projects))',
      'select l.project, l.n from logs as l left join logs as o on l.project in unnest(@projects) and o.n = l.n',
      'select l.project, l.n from logs as l where "a" in unnest(@projects)',
      'select l.project, l.n from logs as l where lower(l.project) in unnest(@projects)',
      'select l.project, (select max(o.n) from logs as o) as n from logs as l where l.project in unnest(@projects)',
      'select l.project, l.n from logs as l where if(l.project in unnest(@projects), true, true)',
    ];
    try {
      for (const sql of wrong) {
        writeFileSync(
          join(broken, 'q.sql'),
          queryText({ columns, parameters: { projects: list() }, sql, name: 'q' }),
        );
        await expect(openTestApp({}, { QUERIES_DIR: broken }), sql).rejects.toThrow(
          /is read without "(?:column|[a-z]+\.project|project) IN UNNEST\(@projects\)"/,
        );
      }
    } finally {
      rmSync(broken, { recursive: true });
    }
  });
});
