import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { subgraphFiles } from '../plugins/federation/subgraph.ts';
import { type FolderApp, openFolderApp } from '../support/folder-app.ts';

/** By `npm ci --prefix test/federation`. */
const folder = import.meta.dirname;
const isInstalled = existsSync(join(folder, 'node_modules'));
const installed = createRequire(join(folder, 'package.json'));

const linkOf = (imports: string) =>
  `extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: [${imports}])`;

/** Other teams' subgraphs, with what answers them. */
const foreign = {
  projects: {
    sdl: `${linkOf('"@key", "@shareable"')}
type Query { projects(refs: [ID!]!): [Project!]! }
type Project @key(fields: "ref") { ref: ID! name: String! members: [Member!]! }
type Member @key(fields: "id") @key(fields: "org number") { id: ID! org: String! number: Int! }
type PageInfo @shareable { hasNextPage: Boolean! endCursor: String }`,
    root: {
      projects: ({ refs }: { refs: readonly string[] }) => refs.map(projectOf),
      _entities: ({ representations }: { representations: readonly { ref: string }[] }) =>
        representations.map(({ ref }) => projectOf(ref)),
    },
  },
  users: {
    sdl: `${linkOf('"@key"')}
type Query { users: [User!]! }
type User @key(fields: "id") { id: ID! name: String! }`,
    root: {
      users: () => ['1', '2'].map(userOf),
      _entities: ({ representations }: { representations: readonly { id: string }[] }) =>
        representations.map(({ id }) => userOf(id)),
    },
  },
};

const memberOf = (ref: string) => ({ __typename: 'Member', id: `m-${ref}`, org: ref, number: ref.length });
const projectOf = (ref: string) => ({
  __typename: 'Project',
  ref,
  name: `Project ${ref}`,
  members: [memberOf(ref)],
});
const userOf = (id: string) => ({ __typename: 'User', id, name: `User ${id}` });

interface Result {
  readonly data?: Readonly<Record<string, unknown>> | null;
  readonly errors?: readonly { readonly message: string }[];
}

interface Router {
  ask(query: string, variables?: object): Promise<Result>;
  stop(): Promise<void>;
}

const routers: readonly (readonly [string, (supergraph: string, app: FolderApp) => Promise<Router>])[] = [
  ['@apollo/gateway', (supergraph, app) => startApollo(supergraph, app)],
  ['Hive Gateway', (supergraph, app) => startHive(supergraph, app)],
];

describe.skipIf(!isInstalled)('a graph of subgraphs', () => {
  let app: FolderApp;
  let sdl: string;
  beforeAll(async () => {
    app = await openFolderApp(subgraphFiles, { env: { FEDERATION: 'on' } });
    const { data = {} } = await app.graphql('{ _service { sdl } }');
    ({ sdl } = data._service as { sdl: string });
  });
  afterAll(() => app.close());

  const subgraphs = () => [
    { name: 'querygate', sdl },
    ...Object.entries(foreign).map(([name, { sdl }]) => ({ name, sdl })),
  ];

  test.each(['@apollo/composition', '@theguild/federation-composition'])('%s composes it', (name) => {
    expect(compose(name, subgraphs())).toContain('join__Graph');
  });

  test('two gateways compose, also if they share a field', () => {
    const others = ['usage.daily', 'hits.matching'].map((name) => subgraphFiles[`${name}.sql`]);
    expect(others).not.toContain(undefined);
    const second = sdl
      .replaceAll(/\b(?:usageDaily|hitsMatching|hitsPaths|statsMembers)\b/g, (name) => `${name}Two`)
      .replaceAll(/\b(?:UsageDaily|HitsMatching|HitsPaths|StatsMembers)/g, (name) => `${name}Two`)
      .replaceAll(/^ {2}(usage|hits)\b/gm, '  $1Two')
      .replaceAll('@override(from: "legacy")', '');
    const composed = compose('@apollo/composition', [...subgraphs(), { name: 'second', sdl: second }]);
    expect(composed).toContain('SECOND');
  });

  test.each(routers)(
    '%s answers generated operations as the gateway answers them directly',
    async (_, start) => {
      const router = await start(compose('@apollo/composition', subgraphs()), app);
      const ref = fc.constantFrom('a', 'bb', 'é"', 'a.c');
      const operation = fc.record({
        refs: fc.array(ref, { minLength: 1, maxLength: 4 }),
        days: fc.integer({ min: 1, max: 5 }),
        first: fc.integer({ min: 0, max: 3 }),
        fields: fc.subarray(
          ['day', 'projectRef', 'owner { name }', 'owner { id name }', 'project { ref name }', '__typename'],
          {
            minLength: 1,
          },
        ),
        entity: fc.subarray(
          ['name', 'totals { rowCount rows { total } }', 'hits { rows { host } }', '__typename'],
          {},
        ),
      });
      const property = fc.asyncProperty(operation, async ({ refs, days, first, fields, entity }) => {
        const rows = `rows(first: ${first}, orderBy: [{ day: DESC }]) { ${fields.join(' ')} }`;
        const query = `query ($refs: [ID!]!) { projects(refs: $refs) { ref ${entity.join(' ')} usage(days: ${days}) { rowCount ${rows} } } }`;
        const { data, errors } = await router.ask(query, { refs });
        expect(errors, query).toBeUndefined();
        for (const [at, one] of refs.entries()) {
          const got = (data?.projects as Readonly<Record<string, unknown>>[] | undefined)?.[at] ?? {};
          const own = fields
            .filter((field) => !field.startsWith('project {'))
            .map((field) => (field.startsWith('owner') ? 'owner { id }' : field));
          const { data: direct = {} } = await app.graphql(
            `{ usageDaily(project: ${JSON.stringify(one)}, days: ${days}) { rowCount rows(first: ${first}, orderBy: [{ day: DESC }]) { ${own.join(' ') || '__typename'} } }
             usageTotals(projects: ${JSON.stringify([one])}) { rowCount rows { total } } }`,
          );
          const { rowCount, rows: directRows } = direct.usageDaily as {
            rowCount: number;
            rows: readonly Row[];
          };
          expect((got.usage as { rowCount: number }).rowCount).toBe(rowCount);
          expect((got.usage as { rows: readonly Row[] }).rows).toEqual(
            directRows.map((row) => expectedRow(row, fields, one)),
          );
          if (entity.includes('name')) expect(got.name).toBe(`Project ${one}`);
          if ('totals' in got) expect(got.totals).toEqual(direct.usageTotals);
        }
      });
      await fc.assert(property, { numRuns: 200 });
      await router.stop();
    },
    120_000,
  );

  test.each(routers)('%s joins by the second key, and sees the errors of entities', async (_, start) => {
    const router = await start(compose('@apollo/composition', subgraphs()), app);
    const members = await router.ask('{ projects(refs: ["a"]) { members { number usage: __typename } } }');
    expect(members.errors).toBeUndefined();
    const wrong = await router.ask('{ projects(refs: ["a", ""]) { name usage { rowCount } } }');
    expect(wrong.data?.projects).toEqual([
      { name: 'Project a', usage: { rowCount: 3 } },
      { name: 'Project ', usage: null },
    ]);
    expect(wrong.errors).toHaveLength(1);
    await router.stop();
  });
});

type Row = Readonly<Record<string, unknown>>;

/** A row with what other subgraphs say of the entities that it refers to. */
function expectedRow(row: Row, fields: readonly string[], ref: string): Row {
  const owner = row.owner as { id: string } | null | undefined;
  const hasId = fields.includes('owner { id name }');
  return {
    ...Object.fromEntries(fields.filter((field) => !field.includes('{')).map((field) => [field, row[field]])),
    ...(owner !== undefined && {
      owner: owner && { ...(hasId && { id: owner.id }), name: `User ${owner.id}` },
    }),
    ...(fields.includes('project { ref name }') && { project: { ref, name: `Project ${ref}` } }),
  };
}

/** @returns the supergraph */
function compose(
  name: string,
  subgraphs: readonly { readonly name: string; readonly sdl: string }[],
): string {
  const { composeServices } = installed(name);
  const { parse } = installed('graphql');
  const { errors, supergraphSdl } = composeServices(
    subgraphs.map((one) => ({ name: one.name, typeDefs: parse(one.sdl), url: `http://${one.name}` })),
  );
  expect((errors ?? []).map(({ message }: { message: string }) => message)).toEqual([]);
  return supergraphSdl;
}

interface SubgraphRequest {
  readonly query: string;
  readonly variables?: object;
}

/** What a subgraph answers. */
function answerOf(name: string, { query, variables }: SubgraphRequest, app: FolderApp): Promise<Result> {
  if (name === 'querygate') return app.graphql(query, undefined, variables);
  const { graphql, buildSchema } = installed('graphql');
  const { sdl, root } = foreign[name as keyof typeof foreign];
  const types = [...sdl.matchAll(/type (\w+) @key/g)].map(([, type]) => type);
  const schema = buildSchema(
    `${sdl.replace(/extend schema.*/, '').replaceAll(/@key\([^)]*\)|@shareable/g, '')}
scalar _Any union _Entity = ${types.join(' | ')} extend type Query { _entities(representations: [_Any!]!): [_Entity]! }`,
  );
  return graphql({ schema, source: query, rootValue: root, variableValues: variables });
}

async function startHive(supergraph: string, app: FolderApp): Promise<Router> {
  const { createGatewayRuntime } = await import(
    pathToFileURL(installed.resolve('@graphql-hive/gateway-runtime')).href
  );
  const { print } = installed('graphql');
  const getSubgraphExecutor =
    ({ subgraphName }: { subgraphName: string }) =>
    ({ document, variables }: { document: unknown; variables?: object }) =>
      answerOf(subgraphName, { query: print(document), ...(variables && { variables }) }, app);
  const router = createGatewayRuntime({
    supergraph,
    logging: false,
    maskedErrors: false,
    transports: { http: { getSubgraphExecutor } },
  });
  return {
    stop: async () => router[Symbol.asyncDispose](),
    async ask(query, variables = {}) {
      const response = await router.fetch('http://router/graphql', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ query, variables }),
      });
      return response.json();
    },
  };
}

async function startApollo(supergraphSdl: string, app: FolderApp): Promise<Router> {
  const { ApolloGateway } = installed('@apollo/gateway');
  const { parse } = installed('graphql');
  const silent = { debug() {}, info() {}, warn() {}, error() {} };
  const gateway = new ApolloGateway({
    supergraphSdl,
    logger: silent,
    buildService: ({ name }: { name: string }) => ({
      process: ({ request }: { request: SubgraphRequest }) => answerOf(name, request, app),
    }),
  });
  const { schema } = await gateway.load();
  return {
    stop: () => gateway.stop(),
    ask: (query, variables = {}) =>
      gateway.executor({
        document: parse(query),
        request: { query, variables },
        queryHash: query,
        operationName: null,
        context: {},
        schema,
        cache: new Map(),
        logger: silent,
        metrics: {},
      }),
  };
}
