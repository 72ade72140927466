import { execFile } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openapiDocument } from '../../src/plugins/openapi/document.ts';
import { runCommand, runQuerygate } from '../support/gateway-process.ts';
import { writeKeyFile } from '../support/key-files.ts';
import { listen } from '../support/listen.ts';
import { isNightly, times } from '../support/nightly.ts';
import { queryText } from '../support/queries.ts';
import { randomCatalog } from '../support/random-catalog.ts';
import { ago, apiKey, openTestApp, type Rows, type TestApp } from '../support/test-app.ts';

/** Clients and generators as their users have them: generated, compiled under strict, and run in a process of their own. */
const folder = import.meta.dirname;
const generated = join(folder, 'src/generated');
const build = join(folder, 'build');
/** By `npm ci --prefix test/typed-clients`: generators are large. */
const isInstalled = existsSync(join(folder, 'node_modules'));

/** Its column `id` is the same in each window, its numbers are not. */
const usageById = queryText({
  name: 'usage.by-id',
  parameters: { hours: '{ type: integer, required: true, description: H. }' },
  columns: { id: 'string', requests: 'integer' },
  sql: `select t.project as id, count(*) as requests from edge_logs as t
    where t.timestamp >= timestamp_sub(current_timestamp(), interval cast(@hours as int64) hour)
    group by t.project`,
});

/** Its rows are those of the list, in its order. */
const idsByList = queryText({
  name: 'ids.by-list',
  parameters: {
    is: '{ type: integer, repeated: true, bind: INT64, description: Ids. }',
    word: '{ type: string, default: w, description: A word. }',
  },
  columns: { id: 'integer' },
  sql: "select i as id from unnest(@is) as i with offset as place where @word != '' order by place",
});

/** Its rows are others in each refresh. */
const diceRoll = queryText({
  name: 'dice.roll',
  caching: ['caching: 60s', 'live: 1s'],
  columns: { number: 'integer' },
  sql: 'select cast(rand() * 1e12 as int64) as number',
});

/** The clients merge pages into one list with each that comes: ten times as many rows take a hundred times as long. */
const scrolledRows = isNightly ? 2_000 : 300;
const pageSize = 50;

const edgeRecord = (hours: number) => ({
  id: `log${hours}`,
  timestamp: ago({ hours, minutes: 1 }),
  project: 'p',
  event_message: 'GET | 200 | /rest/v1/things',
  metadata: [
    { request: [{ method: 'GET', path: '/rest/v1/things', url: 'https://p.example.com/rest/v1/things' }] },
  ],
});

const functionRecord = {
  timestamp: ago({ minutes: 5 }),
  metadata: [{ project_ref: 'p', function_id: 'f', execution_time_ms: 12, response: [{ status_code: 500 }] }],
};

const rows = {
  edge_logs: [0, 0, 3, 5, 7].map(edgeRecord),
  function_edge_logs: [functionRecord],
};

/** The documented configuration, so that the documentation is tried as it is. */
function codegenConfig(): string {
  const [, config = ''] =
    /```ts\n(import type \{ CodegenConfig[\s\S]*?)```/.exec(readFileSync('docs/clients.md', 'utf8')) ?? [];
  return (
    config
      .replace("'schema.graphql'", "'src/generated/schema.graphql'")
      .replace("'src/**/*.ts'", "'src/graphql-client.ts'")
      .replace("'src/gql/'", "'src/generated/gql/'")
      // Bundlers find modules without an extension, Node does not.
      .replace('generates:', "importExtension: '.js', generates:")
  );
}

/** The documented arguments by which Apollo Client keeps lists of pages apart. */
function documentedKeyArgs(): string {
  const [line = ''] = /^const keyArgs = .*$/m.exec(readFileSync('docs/row-arguments.md', 'utf8')) ?? [];
  return `export ${line}\n`;
}

describe.skipIf(!isInstalled)('typed clients', () => {
  const scratch = mkdtempSync(join(tmpdir(), 'querygate-test-'));
  const queries = join(scratch, 'queries');
  const servers: Server[] = [];
  const apps: TestApp[] = [];
  let url: string;

  const serve = async (env: Record<string, string> = {}, clock?: () => Date, tables: Rows = rows) => {
    const options = { duckdb: { refreshSeconds: 1 }, ...(clock && { clock }) };
    const app = await openTestApp(tables, { QUERIES_DIR: queries, ...env }, options);
    const server = createServer(app.listener as RequestListener);
    // A client that merges many rows reads nothing meanwhile.
    server.keepAliveTimeout = 72_000;
    apps.push(app);
    servers.push(server);
    return `http://127.0.0.1:${await listen(server)}`;
  };
  const tool = async (name: string, ...args: string[]) => {
    const file = join(folder, 'node_modules', name);
    const { stdout, error } = await new Promise<{ stdout: string; error: Error | null }>((resolve) =>
      execFile(process.execPath, [file, ...args], { cwd: folder }, (error, stdout) =>
        resolve({ stdout, error }),
      ),
    );
    // The compiler writes what is wrong to its standard output.
    expect(error === null ? '' : `${name}: ${error.message}\n${stdout}`).toBe('');
  };
  const run = async (program: string, gatewayUrl = url, args: string[] = []) => {
    const env = { GATEWAY_URL: gatewayUrl, GATEWAY_KEY: apiKey };
    const { exitCode, output, errors } = await runCommand(join(build, `${program}.js`), env, args);
    expect({ exitCode, errors }).toEqual({ exitCode: 0, errors: '' });
    return JSON.parse(output);
  };
  const print = async (command: string, file: string) => {
    const { output } = await runQuerygate([command, '--queries-dir', queries]);
    writeFileSync(join(generated, file), output);
  };

  beforeAll(async () => {
    cpSync('queries', queries, { recursive: true });
    writeFileSync(join(queries, 'usage.by-id.sql'), usageById);
    writeFileSync(join(queries, 'dice.roll.sql'), diceRoll);
    writeFileSync(join(queries, 'ids.by-list.sql'), idsByList);
    for (const old of [generated, build]) rmSync(old, { recursive: true, force: true });
    mkdirSync(generated);
    url = await serve();
    await print('openapi', 'openapi.json');
    await print('types', 'querygate.ts');
    await print('schema', 'schema.graphql');
    writeFileSync(join(generated, 'codegen.ts'), codegenConfig());
    writeFileSync(join(generated, 'key-args.ts'), documentedKeyArgs());
    await tool(
      'openapi-typescript/bin/cli.js',
      'src/generated/openapi.json',
      '-o',
      'src/generated/openapi.ts',
    );
    await tool('@graphql-codegen/cli/cjs/bin.js', '--config', 'src/generated/codegen.ts');
    rmSync(join(generated, 'codegen.ts'));
    mkdirSync(join(generated, 'relay'));
    await tool('relay-compiler/cli.js');
    await tool('typescript/bin/tsc', '--project', '.');
    // Seven programs, one after another.
  }, 600_000);
  afterAll(async () => {
    for (const server of servers) server.closeAllConnections();
    await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
    await Promise.all(apps.map((app) => app.close()));
    rmSync(scratch, { recursive: true });
  });

  test('a client that openapi-typescript generates compiles and gets typed rows and errors', async () => {
    expect(await run('openapi-client')).toEqual({
      count: 1,
      maximum: 12,
      first: 'string',
      isWrong: true,
      parameter: 'interval',
      unchanged: 304,
      incomplete: 'MISSING_PARAMETER',
    });
  });

  test('OpenAPI documents are valid, and describe the rows and errors that are sent', async () => {
    const documents = join(scratch, 'documents');
    mkdirSync(documents);
    for (const [at, { queries }] of fc.sample(randomCatalog, times(5)).entries()) {
      writeFileSync(join(documents, `${at}.json`), JSON.stringify(openapiDocument(queries)));
    }
    expect(await run('validate-openapi', url, [documents])).toEqual({ errors: [], rows: [1, 5, 1, 1] });
  });

  test('a client that graphql-codegen generates compiles without a map of scalars, and sends trusted documents', async () => {
    const trusted = await serve({ TRUSTED_DOCUMENTS: join(generated, 'gql/persisted-documents.json') });
    expect(await run('graphql-client', trusted)).toEqual({
      count: 1,
      slowest: 12,
      first: true,
      computedAt: true,
      bytes: 0,
      ids: 6,
      logs: ['log0', 'log0', 'log3', 'log5', 'log7'],
      paths: Array(5).fill('/rest/v1/things'),
    });
  });

  test('axios sends lists in each of its spellings, and gets an error for a parameter that is not a list', async () => {
    expect(await run('axios-lists')).toEqual({
      byDefault: [4, 2],
      indexed: [4, 2],
      repeated: [4, 2],
      object: [400, 'is[from]: is not a value of a list; write a list as is=…&is=…, or is[]=…'],
      scalar: [400, 'word[]: is not a list; write word=…'],
    });
  });

  test('Apollo Client knows a wrong key from a rate that is used up', async () => {
    const keys = writeKeyFile({ slow: { rate: { requests_per_minute: 1 } } });
    try {
      const limited = await serve({ API_KEYS_FILE: keys.path });
      expect(await run('apollo-refusals', limited, [keys.keyOf('slow')])).toEqual({
        wrongKey: ['UNAUTHENTICATED'],
        usedUp: ['RATE_LIMITED'],
      });
    } finally {
      keys.remove();
    }
  });

  test('two windows of one query stay right in the cache of Apollo Client, configured as documented', async () => {
    const { unconfigured, ...configured } = await run('apollo-cache');
    const right = { separate: [[2], [5]], together: [[2], [5]] };
    expect(configured).toEqual({ everything: right, oneType: right, allTypes: right });
    // What the configuration is for: rows with one id are merged.
    expect(unconfigured.separate).toEqual([[5], [5]]);
  });

  test('and in the caches of urql', async () => {
    const { unconfiguredGraphcache, ...right } = await run('urql-cache');
    const windows = { separate: [[2], [5]], together: [[2], [5]] };
    expect(right).toEqual({ documentCache: windows, graphcache: windows });
    expect(unconfiguredGraphcache.separate).toEqual([[5], [5]]);
  });

  test('Apollo Client, urql and Relay scroll to the end while rows arrive and other windows are read: none is lost or there twice', async () => {
    const record = (id: string, at: number) => ({
      ...edgeRecord(0),
      id,
      // Some at the same moment.
      timestamp: ago({ minutes: 1, seconds: Math.floor(at / 3) }),
    });
    const all = Array.from({ length: scrolledRows }, (_, at) => record(`row ${at}`, at));
    const gatewayUrl = await serve({}, undefined, { edge_logs: all });
    let arrived = 0;
    const arrive = () => {
      const line = JSON.stringify({ ...record(`new ${arrived}`, 0), timestamp: ago({ seconds: 1 }) });
      appendFileSync(join(apps.at(-1)?.dataDir ?? '', 'edge_logs.ndjson'), `${line}\n`);
      arrived += 1;
    };
    const arriving = setInterval(arrive, 20);
    try {
      const size = [String(pageSize)];
      const seen = {
        ...(await run('paging-clients', gatewayUrl, size)),
        ...(await run('relay-client', gatewayUrl, size)),
      };
      expectAll(seen, new Set(all.map(({ id }) => id)));
    } finally {
      clearInterval(arriving);
    }
    expect(arrived).toBeGreaterThan(0);
  });

  const expectAll = (
    seen: Readonly<Record<string, { readonly pages: number; readonly ids: readonly string[] }>>,
    all: ReadonlySet<string>,
  ) => {
    expect(Object.keys(seen)).toEqual(['apollo', 'urql', 'relay']);
    for (const [client, { pages, ids }] of Object.entries(seen)) {
      expect(pages, client).toBeGreaterThanOrEqual(scrolledRows / pageSize);
      expect(new Set(ids).size, client).toBe(ids.length);
      expect(new Set(ids.filter((id) => id.startsWith('row '))), client).toEqual(all);
    }
  };

  test('clients follow a result by GraphQL and REST, and get an event for each change', async () => {
    const changes = { events: 3, areDifferent: true };
    const refreshing = await serve({}, () => new Date());
    expect(await run('live-clients', refreshing)).toEqual({
      graphqlSse: changes,
      graphqlSseQuery: { rows: 1, isCompleted: true },
      graphqlSseWrong: 'Cannot query field "nothing" on type "DiceRollResult".',
      urql: changes,
      urqlWithGraphqlSse: changes,
      apollo: changes,
      eventSource: changes,
      eventSourceOfGraphql: changes,
      eventSourceParser: changes,
    });
  });

  test('automatic persisted queries of Apollo Client and urql send a document once', async () => {
    const once = { counts: [1, 1, 1], documents: 1, hashes: 3 };
    expect(await run('persisted-queries')).toEqual({
      apolloPost: once,
      apolloGet: once,
      urqlPost: once,
      urqlGet: once,
    });
  });
});
