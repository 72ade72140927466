import fc from 'fast-check';
import { now, type Rows } from '../support/test-app.ts';
import { tenantNames, unbindable } from './tenant-names.ts';

/** A row as the oracle sees it: plain data, beside what the files of the gateway get. */
export interface KnownRow {
  /** It names its owner in the world, as in `owner=7;row=3`, which no other text of the world does. */
  readonly id: string;
  /** The value of its column or field that names the owner. */
  readonly tenant: string | null;
  readonly message: string | null;
  /** Microseconds. */
  readonly time: number;
  /** The address of a request, and what is known about it. */
  readonly url: string | null;
  readonly path: string | null;
  readonly status: number | null;
  readonly executionMs: number | null;
  readonly functionId: string | null;
}

/** Everybody's rows, by table. */
export interface World {
  /** Names of owners whose rows there are, `abc` first. */
  readonly tenants: readonly string[];
  readonly edge: readonly KnownRow[];
  readonly auth: readonly KnownRow[];
  readonly calls: readonly KnownRow[];
}

/** Texts that rows contain and callers ask for. */
export const words = [
  '',
  'abc',
  '"',
  "'",
  '\\',
  '</script>',
  'İ',
  '\u2028',
  '{"a":1}',
  '@who',
  "' or ''='",
] as const;

export const functionIds = ['f1', 'f2', "f'3", 'abc'] as const;

const paths = ['/rest/v1/a', '/storage/v1', '/auth/v1/rest', '/realtime', '/', '//rest', null] as const;

/** Ages of rows, in minutes: within every window but the shortest, of another day, and older than a free tier shows. */
const ages = [20, 24, 28, 3 * 24 * 60, 40 * 24 * 60] as const;

/** Addresses with a host that begins with one name, and with another name elsewhere. */
const urls: readonly ((host: string, decoy: string) => string | null)[] = [
  (host) => `https://${host}.example.co/rest/v1/items`,
  (host) => `http://${host}.example.co:8443/storage/v1`,
  (host) => `https://${host}.example.co`,
  (host) => `https://${host}.example.co?a=b`,
  (host, decoy) => `https://${host}.example.co/https://${decoy}.example.co/`,
  (host, decoy) => `https://${host}.example.co/?u=https://${decoy}.example.co/`,
  (host, decoy) => `https://${host}.example.co/#https://${decoy}.example.co/`,
  (host, decoy) => `https://${decoy}.a@${host}.example.co/`,
  (host, decoy) => `https://${decoy}.a:b@${host}.example.co/`,
  (host, decoy) => `https://${decoy}.example.co\\@${host}.example.co/`,
  (host, decoy) => `https://${decoy}.example.co\t@${host}.example.co/`,
  (host, decoy) => `https://${decoy}.\n@${host}.example.co/`,
  (host, decoy) => `https://${decoy}.example.co%2F@${host}.example.co/`,
  (host, decoy) => `https://${decoy}.example.co\u00a0@${host}.example.co/`,
  (host, decoy) => `https://x.${decoy}.example.co@${host}.example.co`,
  (host, decoy) => `https:\\\\${host}.example.co\\${decoy}.`,
  (host) => `HTTPS://${host}.example.co/`,
  (host) => ` https://${host}.example.co/`,
  (host) => `x\nhttps://${host}.example.co/`,
  (host) => `https://${host}`,
  (host) => `https://${host}/`,
  (host) => `//${host}.example.co/`,
  (host) => `https://x${host}.example.co/`,
  (host) => `https://x.${host}.example.co/`,
  () => null,
  () => '',
];

/** One row before it has an owner: indexes into the lists above. */
const rawRow = fc.record({
  age: fc.nat(),
  seconds: fc.nat(59),
  message: fc.option(fc.oneof(fc.constantFrom(...words), fc.string({ unit: 'grapheme', maxLength: 8 })), {
    nil: null,
  }),
  url: fc.nat(),
  decoy: fc.nat(),
  path: fc.nat(),
  status: fc.constantFrom(null, 200, 399, 400, 500),
  executionMs: fc.constantFrom(null, 1, 25, 900),
  functionId: fc.constantFrom(null, ...functionIds),
});

/** Rows of all tables: one to three for each owner, and some of nobody. */
export const worlds: fc.Arbitrary<World> = tenantNames.chain((names) => {
  const owners: readonly (string | null)[] = [...names, ...unbindable, null];
  const table = fc.array(fc.array(rawRow, { minLength: 1, maxLength: 3 }), {
    minLength: owners.length,
    maxLength: owners.length,
  });
  return fc.record({ edge: table, auth: table, calls: table }).map((tables) => {
    let count = 0;
    const rowsOf = (drafts: (typeof tables)['edge']) =>
      drafts.flatMap((rows, owner) =>
        rows.map((row): KnownRow => {
          count += 1;
          const tenant = owners[owner] ?? null;
          const decoy = names[row.decoy % names.length] ?? '';
          const minutes = ages[row.age % ages.length] ?? 0;
          return {
            id: `owner=${owner};row=${String(count).padStart(5, '0')}`,
            tenant,
            message: row.message,
            time: (Math.floor(now.getTime() / 60_000 - minutes) * 60 + row.seconds) * 1_000_000,
            url: urls[row.url % urls.length]?.(tenant ?? 'nobody', decoy) ?? null,
            path: paths[row.path % paths.length] ?? null,
            status: row.status,
            executionMs: row.executionMs,
            functionId: row.functionId,
          };
        }),
      );
    return {
      tenants: names,
      edge: rowsOf(tables.edge),
      auth: rowsOf(tables.auth),
      calls: rowsOf(tables.calls),
    };
  });
});

/** The rows as the files of the gateway have them. */
export function filesOf({ edge, auth, calls }: World): Rows {
  const common = (row: KnownRow) => ({
    id: row.id,
    timestamp: new Date(row.time / 1000).toISOString(),
    event_message: row.message,
  });
  const request = ({ url, path }: KnownRow) => [{ url, path, headers: [{ user_agent: path }] }];
  return {
    edge_logs: edge.map((row) => ({
      ...common(row),
      project: row.tenant,
      metadata: [{ request: request(row) }],
    })),
    auth_logs: auth.map((row) => ({ ...common(row), project: row.tenant, metadata: [] })),
    function_edge_logs: calls.map((row) => ({
      ...common(row),
      metadata: [
        {
          project_ref: row.tenant,
          function_id: row.functionId,
          execution_time_ms: row.executionMs,
          response: row.status === null ? [] : [{ status_code: row.status }],
        },
      ],
    })),
  };
}

/** The ids of all rows that a text shows. */
export function rowIdsIn(text: string): readonly string[] {
  return [...text.matchAll(/owner=\d+;row=\d+/g)].map(([id]) => id);
}
