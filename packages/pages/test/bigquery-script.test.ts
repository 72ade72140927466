import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type Endpoint, endpointsOf, type OpenapiDocument } from '../src/endpoint.ts';
import { valuesInAddress } from '../src/parameters/values.ts';
import { bigquerySnippet } from '../src/snippets/snippets.ts';
import { type Emulator, skipsEmulator, startEmulator } from '../../../test/support/bigquery-emulator.ts';
import { queryText } from '../../../test/support/queries.ts';
import { makeQueryFolder, type QueryFolder } from '../../../test/support/query-folder.ts';
import { type ServedApp, serveTestApp } from '../../../test/support/served-app.ts';
import { apiKey } from '../../../test/support/test-app.ts';

const kinds = `values: { a: { name: A, also: [aa, A-A], description: One. }, b: { name: B, description: Two. } }`;

const about = 'description: A value.';

/** Two have names that are words of SQL. */
const parameters = {
  from: `{ type: datetime, bind: DATETIME, ${about} }`,
  to: `{ type: timestamp, bind: TIMESTAMP, ${about} }`,
  text: 'string',
  clock: 'datetime',
  moment: 'timestamp',
  day: `{ type: date, bind: DATE, default: -7d, ${about} }`,
  since: `{ type: timestamp, default: -90m, ${about} }`,
  count: 'integer',
  most: `{ type: integer, bind: INT64, ${about} }`,
  share: 'float',
  ratio: `{ type: float, bind: FLOAT64, ${about} }`,
  exact: `{ type: boolean, default: true, ${about} }`,
  all: `{ type: boolean, bind: BOOL, ${about} }`,
  kind: `{ type: enum, enum: Kind, unknown: default, default: b, ${about}, ${kinds} }`,
  texts: `{ type: string, repeated: true, ${about} }`,
  statuses: `{ type: integer, repeated: true, default: [200, 404], ${about} }`,
  days: `{ type: date, repeated: true, ${about} }`,
  several: `{ type: enum, enum: Kind, repeated: true, ${about}, ${kinds} }`,
};

const names = Object.keys(parameters);

const sql = `-- "a" 'b' \\d """ \`c\`\nselect ${names.map((name) => `@${name}`).join(', ')}`;

const cases = [
  {},
  { text: `it's "q" \\d \`x\` \\u0041 \n\t$x """ ''' @a -- */ ;` },
  { text: 'žluť 🐎 \u202e\u2028\u0007\ufeff', texts: ['a"b\\', "'", '\u202e'] },
  { from: '2026-01-01T10:00', to: '2026-01-01T00:00:00.123456+02:00', clock: '2026-01-01 10:00:00.5' },
  { to: '2026-01-01T10:00Z', moment: '2026-01-01 10:00:00.1234567-0330', since: '2026-01-01' },
  { from: '2026-01-01 10:00:00', moment: '2026-01-01T10:00:00z', day: '2026-02-28', days: ['2026-01-01'] },
  { count: '+5', most: '-9223372036854775808', share: '1e300', ratio: '.5', statuses: ['007', '1'] },
  { count: '-0', most: '9007199254740993', share: '1.50', ratio: '1e-300' },
  { exact: 'FALSE', all: 'True', kind: 'aa', several: ['A-A', 'b', 'a'] },
  { exact: 'True', all: 'false', kind: 'another' },
];

describe.skipIf(skipsEmulator)("BigQuery's script of the pages, read by the emulator's GoogleSQL", () => {
  let folder: QueryFolder;
  let served: ServedApp;
  let emulator: Emulator;
  let endpoint: Endpoint;
  let origin: string;
  let bound: Readonly<Record<string, unknown>> = {};
  beforeAll(async () => {
    // Relative defaults are resolved twice, by the gateway and by the page.
    vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 1, 28, 10, 20, 30) });
    folder = makeQueryFolder({ 'all.types.sql': queryText({ columns: { x: 'string' }, parameters, sql }) });
    const rows = ({ parameters }: { parameters: object }) => {
      bound = { ...parameters };
      return ['{}'];
    };
    [emulator, served] = await Promise.all([
      startEmulator(),
      serveTestApp({ QUERIES_DIR: folder.folder }, 1, { rows }),
    ]);
    origin = `http://127.0.0.1:${served.port}`;
    const response = await fetch(`${origin}/openapi.json`, { headers: { 'x-api-key': apiKey } });
    const [only] = endpointsOf((await response.json()) as OpenapiDocument);
    endpoint = only ?? expect.fail();
  });
  afterAll(async () => {
    await Promise.all([emulator?.close(), served?.close()]);
    folder?.close();
    vi.useRealTimers();
  });

  /** The only row of a query; nothing for a script. */
  const run = async (query: string): Promise<readonly unknown[]> => {
    const response = await fetch(`${emulator.endpoint}/bigquery/v2/projects/${emulator.project}/queries`, {
      method: 'POST',
      body: JSON.stringify({ query, useLegacySql: false }),
    });
    const body = (await response.json()) as { error?: { message: string }; rows?: [{ f: { v: unknown }[] }] };
    expect(body.error?.message, query).toBeUndefined();
    return body.rows?.[0]?.f.map(({ v }) => v) ?? [];
  };

  /** A value as the gateway binds it: lists are cells, a timestamp is seconds, and NULL is an absent value. */
  const plain = (name: string, value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(({ v }) => v);
    if (name === 'to' && value !== null) return Math.round(Number(value) * 1e6);
    return value ?? '';
  };
  const expected = (name: string, value: unknown): unknown => {
    if (name === 'to' && value !== '')
      return Date.parse(`${value}`) * 1000 + Number(`${value}`.slice(-4, -1));
    // The emulator writes it without zeros at the end.
    return name === 'from' ? String(value).replace(/\.?0+$/, '') : value;
  };

  test.each(cases)('is accepted, and binds what the gateway binds for %j', async (given) => {
    const search = `?${new URLSearchParams(
      Object.entries(given).flatMap(([name, value]) => [value].flat().map((text) => [name, text])),
    )}`;
    const response = await fetch(origin + endpoint.path + search, { headers: { 'x-api-key': apiKey } });
    expect(await response.json()).toEqual({ result: [{}] });
    const values = valuesInAddress(search, endpoint.parameters);
    const script = bigquerySnippet(sql, { origin, endpoint, values });
    // The emulator analyses EXECUTE IMMEDIATE, and does not run it.
    await run(script);
    const [, text, using] = /^EXECUTE IMMEDIATE ([\s\S]*)\nUSING\n([\s\S]*);\n$/.exec(script) ?? [];
    const [whole, ...bindings] = await run(`select ${text},\n${using}`);
    expect(String(whole).trim()).toBe(sql);
    const seen = bindings.map((value, at) => [names[at], plain(names[at] ?? '', value)]);
    expect(Object.fromEntries(seen)).toEqual(
      Object.fromEntries(names.map((name) => [name, expected(name, bound[name])])),
    );
  });
});
