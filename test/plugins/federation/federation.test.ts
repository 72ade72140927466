import fc from 'fast-check';
import { parse } from 'graphql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type FolderApp, openFolderApp } from '../../support/folder-app.ts';
import { type KeyFile, writeKeyFile } from '../../support/key-files.ts';
import { subgraphFiles } from './subgraph.ts';

let folder: FolderApp;
let keys: KeyFile;

beforeAll(async () => {
  keys = writeKeyFile({
    tenant: { tenants: ['a', 'bb', 'abc'] },
    one: { endpoints: ['usage.daily'], tenants: 'all' },
  });
  folder = await openFolderApp(subgraphFiles, { env: { FEDERATION: 'on', API_KEYS_FILE: keys.path } });
});

afterAll(async () => {
  await folder.close();
  keys.remove();
});

interface Answer {
  readonly data?: { readonly _entities: readonly (Readonly<Record<string, unknown>> | null)[] } | null;
  readonly errors?: readonly {
    readonly message: string;
    readonly path?: readonly unknown[];
    readonly extensions: { readonly code: string };
  }[];
}

/** @param selection below each entity */
async function entities(
  representations: readonly unknown[],
  selection: string,
  {
    key,
    isPlain = false,
    end = '',
  }: { readonly key?: string; readonly isPlain?: boolean; readonly end?: string } = {},
): Promise<Answer> {
  // A condition that is null makes graphql-js execute all of the operation.
  const [variable, beside] = isPlain
    ? [', $none: Boolean = true', 'usageDaily(project: "a") { rows { day @include(if: $none) } }']
    : ['', ''];
  const query = `query ($representations: [_Any!]!${variable}) { _entities(representations: $representations) { ${selection} } ${beside} ${end}}`;
  const body = JSON.stringify({ query, variables: { representations, none: null } });
  const response = await folder.app.fetch(
    new Request('http://gateway.test/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': key ?? 'a-key-for-tests-only' },
      body,
    }),
  );
  const { data, errors } = (await response.json()) as Answer;
  const own = errors?.filter(({ path }) => path?.[0] !== 'usageDaily');
  if (isPlain) expect(own).not.toHaveLength(errors?.length ?? 0);
  return { ...(data !== undefined && { data }), ...(own !== undefined && own.length > 0 && { errors: own }) };
}

const project = (ref: unknown) => ({ __typename: 'Project', ref });

const sdlOf = async (key?: string, query = '{ _service { sdl } }'): Promise<string> => {
  const { data = {} } = await folder.graphql(query, key);
  return (data._service as { sdl: string }).sdl;
};

describe('the schema of a subgraph', () => {
  test('has keys, and what headers say of fields', async () => {
    const sdl = await sdlOf();
    expect(() => parse(sdl)).not.toThrow();
    const lineOf = (start: string) =>
      sdl
        .split('\n')
        .find((line) => line.trimStart().startsWith(start))
        ?.trim();
    expect(lineOf('extend schema')).toContain('https://specs.apollo.dev/federation/v2.3');
    expect(lineOf('type Project')).toBe('type Project @key(fields: "ref") {');
    expect(lineOf('type User')).toBe('type User @key(fields: "id", resolvable: false) {');
    expect(lineOf('type Member')).toBe('type Member @key(fields: "id") @key(fields: "org number") {');
    expect(lineOf('number: Int!')).toBe('number: Int! @external');
    expect(lineOf('): UsageDailyResult @override')).toBe(
      '): UsageDailyResult @override(from: "legacy") @tag(name: "billing")',
    );
    expect(lineOf('totals: ')).toBe('totals: UsageTotalsResult @shareable');
    expect(lineOf('type UsageTotalsRow')).toBe('type UsageTotalsRow @shareable {');
    expect(lineOf('statsMembers: StatsMembersResult')).toBe('statsMembers: StatsMembersResult @inaccessible');
    expect(sdl).not.toMatch(/_entities|_service|endpoint/);
  });

  test('shows a key what the key may query', async () => {
    // In JSON a line feed is written as a letter.
    for (const query of ['{ _service { sdl } }', '{\n_service { sdl } }']) {
      const sdl = await sdlOf(keys.keyOf('one'), query);
      expect(sdl).toContain('usage(');
      expect(sdl).not.toMatch(/totals|Member|hits/);
    }
  });

  test('is not there without FEDERATION=on, and for nobody without introspection', async () => {
    const plain = await openFolderApp(subgraphFiles);
    expect((await plain.graphql('{ _service { sdl } }')).errors?.[0]?.message).toMatch(/^Cannot query field/);
    expect(
      (await plain.graphql('{ usageDaily(project: "a") { rows { owner { id } } } }')).errors,
    ).toHaveLength(1);
    await plain.close();
    const env = { FEDERATION: 'on', GRAPHQL_INTROSPECTION: 'off' };
    const silent = await openFolderApp(subgraphFiles, { env });
    const { errors, data } = await silent.graphql('{ _service { sdl } }');
    expect([errors?.[0]?.message, data]).toEqual([
      expect.stringContaining('querygate schema --federation'),
      { _service: { sdl: null } },
    ]);
    await silent.close();
  });
});

describe('entities', () => {
  const selection =
    '__typename ... on Project { ref usage(days: 2) { rows { day owner { __typename id } } } }';

  test('are resolved in the order of their representations', async () => {
    const { data, errors } = await entities([project('é"'), project('b')], selection);
    const rows = [
      { day: 1, owner: { __typename: 'User', id: '1' } },
      { day: 2, owner: null },
    ];
    expect(errors).toBeUndefined();
    expect(data?._entities).toEqual([
      { __typename: 'Project', ref: 'é"', usage: { rows } },
      { __typename: 'Project', ref: 'b', usage: { rows } },
    ]);
  });

  test.each([
    ['has no type', {}, '__typename: is missing; each representation needs the name of its type'],
    ['is no object', 'Project', '__typename: is missing; each representation needs the name of its type'],
    [
      'is of a foreign type',
      { __typename: 'User', id: 1 },
      '__typename: "User" is not an entity that this subgraph resolves',
    ],
    ['has no key', { __typename: 'Project', id: 1 }, 'Project: needs ref'],
    ['has a part of a key', { __typename: 'Member', org: 'o' }, 'Member: needs id, or org and number'],
    ['has an empty key', project(''), 'ref: must be of the type ID, and not empty'],
    ['has a list for a key', project(['a']), 'ref: must be of the type ID'],
    [
      'has a prototype for a key',
      JSON.parse('{"__typename":"Project","__proto__":{"ref":"a"}}'),
      'Project: needs ref',
    ],
  ])(
    'a representation that %s is null with an error, and the others are there',
    async (_, wrong, message) => {
      const { data, errors } = await entities([project('b'), wrong, project('c')], '... on Project { ref }');
      expect(data?._entities).toEqual([{ ref: 'b' }, null, { ref: 'c' }]);
      expect(errors).toEqual([expect.objectContaining({ message, path: ['_entities', 1] })]);
    },
  );

  test('several keys, of several fields, each bind their own parameters', async () => {
    const representations = [
      { __typename: 'Member', id: 'm' },
      { __typename: 'Member', org: 'o', number: 7 },
    ];
    const { data } = await entities(representations, '... on Member { statsMembers { rows { text } } }');
    expect(data?._entities).toEqual([
      { statsMembers: { rows: [{ text: 'm//' }] } },
      { statsMembers: { rows: [{ text: '/o/7' }] } },
    ]);
  });

  test('a field of another key is an error, and the representation may contain variables', async () => {
    const member = { __typename: 'Member', id: 'm' };
    const { data, errors } = await entities([member, { ...member, org: 'o' }], '... on Member { org }');
    expect(data?._entities).toEqual([null, { org: 'o' }]);
    expect(errors?.map(({ message }) => message)).toEqual([
      'org: is not in the representation; Member has it in another key',
    ]);
    const query =
      'query ($id: ID!) { _entities(representations: [{ __typename: "Member", id: $id }]) { ... on Member { id } } }';
    expect((await folder.graphql(query, undefined, { id: 'm' })).data).toEqual({ _entities: [{ id: 'm' }] });
  });

  test('a key is compared also where callers may send a pattern', async () => {
    const { data } = await entities(
      [project('a.c'), project('.*')],
      '... on Project { hits { rows { host } } }',
    );
    expect(data?._entities).toEqual([{ hits: { rows: [{ host: 'a.c' }] } }, { hits: { rows: [] } }]);
    const pages = ['/', '/b'].map((path) => ({ __typename: 'Page', site: 'a.c', path }));
    const lists = await entities(pages, '... on Page { hitsPaths { rows { host path } } }');
    expect(lists.data?._entities).toEqual(
      pages.map(({ site, path }) => ({ hitsPaths: { rows: [{ host: site, path }] } })),
    );
  });

  test('a list parameter makes them one run, whose rows are divided', async () => {
    const select =
      '... on Project { totals { rowCount rows(orderBy: { total: DESC }) { total projectRef } } }';
    const before = folder.app.counters.runs;
    const { data } = await entities([project('qq'), project('r'), project('qq')], select);
    const rowsOf = (ref: string) => ({
      totals: { rowCount: 2, rows: [2, 1].map((n) => ({ total: ref.length + n, projectRef: ref })) },
    });
    expect(data?._entities).toEqual(['qq', 'r', 'qq'].map(rowsOf));
    expect(folder.app.counters.runs - before).toBe(1);
    // Together they have more rows than a result: one run each.
    const { data: more } = await entities([project('x'), project('yy'), project('zzz')], select);
    expect(more?._entities).toEqual(['x', 'yy', 'zzz'].map(rowsOf));
  });

  test('a hundred are answered, and more are refused before any is', async () => {
    const many = (count: number) => Array.from({ length: count }, (_, at) => project(`p${at}`));
    const select = '... on Project { usage(days: 1) { rows { day } } }';
    expect((await entities(many(100), select)).data?._entities).toHaveLength(100);
    const refused = await entities(many(101), select);
    expect([refused.data, refused.errors?.[0]?.extensions.code]).toEqual([null, 'OPERATION_TOO_LARGE']);
    const twice =
      '... on Project { ref } } more: _entities(representations: $representations) { ... on Project { ref }';
    expect((await entities(many(60), twice)).errors?.[0]?.extensions.code).toBe('OPERATION_TOO_LARGE');
  });

  test('more results than an operation may ask for refuse the request', async () => {
    const names = Array.from({ length: 6 }, (_, at) => `u${at}: usage(days: ${at + 1}) { rowCount }`).join(
      ' ',
    );
    const many = Array.from({ length: 100 }, () => project('p'));
    const before = folder.app.counters.runs;
    const refused = await entities(many, `... on Project { ${names} }`);
    expect(refused.errors).toEqual([
      expect.objectContaining({
        message: expect.stringContaining('more than 500 fields of saved queries in entities'),
      }),
    ]);
    expect(refused.data ?? undefined).toBeUndefined();
    expect(folder.app.counters.runs).toBe(before);
  });

  test('more values in arguments than an operation may read for them refuse the request', async () => {
    const select = (count: number) =>
      `... on Project { totals { rows(where: { total: { in: [${Array(count).fill(5).join(' ')}] } }) { total } } }`;
    const many = Array.from({ length: 100 }, (_, at) => project(`p${at}`));
    expect((await entities(many, select(200))).errors).toBeUndefined();
    expect((await entities(many, select(201))).errors).toEqual([
      expect.objectContaining({ message: expect.stringContaining('more than 20000 values in arguments') }),
    ]);
  });
});

/** `ENTITY_REQUESTS=10000 npx vitest run test/plugins/federation` sends as many. */
const numRuns = Number(process.env.ENTITY_REQUESTS ?? 100);

test('a tenant gets its own entities, and for each foreign one null with an error, also with rows as objects', async () => {
  const own = ['a', 'bb', 'abc'];
  const ref = fc.oneof(
    fc.constantFrom(...own),
    fc.constantFrom('A', 'a ', 'b', 'a.c', '.*', 'a|b', 'a,bb', 'é', '\0'),
  );
  const field = fc.constantFrom('usage', 'totals', 'hits');
  const property = fc.asyncProperty(
    fc.array(ref, { minLength: 1, maxLength: 8 }),
    field,
    fc.boolean(),
    async (refs, name, isPlain) => {
      const select = name === 'hits' ? 'rows { host }' : 'rows { projectRef }';
      const { data, errors = [] } = await entities(
        refs.map(project),
        `... on Project { ${name} { ${select} } }`,
        {
          key: keys.keyOf('tenant'),
          isPlain,
        },
      );
      const foreign = refs.flatMap((one, at) => (own.includes(one) ? [] : [at]));
      const of = (path: readonly unknown[] | undefined) => path?.[1];
      expect(errors.map(({ path }) => of(path)).toSorted()).toEqual(foreign);
      expect(errors.every(({ path }) => path?.[2] === name)).toBe(true);
      for (const [at, one] of refs.entries()) {
        const value = data?._entities[at]?.[name] as {
          rows: { projectRef?: string; host?: string }[];
        } | null;
        if (foreign.includes(at)) expect(value).toBeNull();
        else
          expect(new Set(value?.rows.map(({ projectRef, host }) => projectRef ?? host))).toEqual(
            new Set(name === 'hits' && one !== 'abc' ? [] : [one]),
          );
      }
    },
  );
  await fc.assert(property, { numRuns });
});

test('an operation on entities is answered as graphql-js executes it', async () => {
  const selections = [
    '__typename ... on Project { ref usage { rows(where: { day: { gt: 1 } }) { day project { ref } } aggregates { count } } }',
    '... on Project { __typename ...F } ... on _Entity { __typename }',
    '... on Project { a: ref usage(days: 99) { rowCount } }',
    '... on Member { id }',
    '... on Project { usage { rows { project { usage { rowCount } } } } }',
  ];
  const fragment = 'fragment F on Project { usage(days: 1) { rows { owner { i: id __typename } } } }';
  for (const selection of selections) {
    const end = selection.includes('...F') ? ` } ${fragment} #` : '';
    const ask = (isPlain: boolean) => entities([project('a'), project('é')], selection, { isPlain, end });
    // Twice: the second time from the cache.
    await ask(false);
    const [answered, plain] = [await ask(false), await ask(true)];
    expect(answered.data?._entities, selection).toEqual(plain.data?._entities);
    expect(answered.errors?.map(({ message, path }) => [message, path])).toEqual(
      plain.errors?.map(({ message, path }) => [message, path]),
    );
  }
});
