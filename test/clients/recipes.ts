import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { describe, expect, test } from 'vitest';
import type { DemoGateway } from './demo-gateway.ts';

/** The page's sections, by their headings. */
const sections = new Map(
  readFileSync('docs/clients.md', 'utf8')
    .split(/^## /m)
    .slice(1)
    .map((text) => [text.slice(0, text.indexOf('\n')), text] as const),
);

const section = (heading: string): string => {
  const text = sections.get(heading);
  if (text === undefined) throw new Error(`docs/clients.md has no section ${heading}`);
  return text;
};

/** The code of a section. */
const blocks = (text: string, language: string): string[] =>
  [...text.matchAll(/^( *)```(\w+)\n([\s\S]*?)^\1```/gm)]
    .filter(([, , found]) => found === language)
    .map(([, , , code = '']) => code);

/** The setting of the page's recipe for browsers. */
export const browserSettings = (): Record<string, string> => {
  const [, name = '', value = ''] =
    /^(CORS_ORIGINS)=(\S+)/.exec(blocks(section('Browsers'), 'sh')[0] ?? '') ?? [];
  return { [name]: value };
};

const inCi = process.env.CI === 'true';
const succeeds = (program: string, ...args: string[]) => spawnSync(program, args).status === 0;

/** In CI a test fails without its program, if the tool is there that installs it. */
function isMissing(program: string, found: boolean, tool: () => boolean): boolean {
  if (found) return false;
  if (inCi && tool()) return false;
  process.stderr.write(
    `SKIPPED: recipes for clients, because ${program} is not installed (CONTRIBUTING.md, Set up)\n`,
  );
  return true;
}

const always = () => true;
const skipsPython = isMissing('python3', succeeds('python3', '--version'), always);
export const skipsHttpfs = isMissing('httpfs of DuckDB', await hasHttpfs(), () =>
  succeeds('python3', '-m', 'pip', '--version'),
);
const infinity = [...(process.env.PATH ?? '').split(delimiter), join(homedir(), 'go', 'bin')]
  .map((folder) => join(folder, 'infinity-frames'))
  .find((file) => existsSync(file));
const skipsInfinity = isMissing('infinity-frames', infinity !== undefined, () => succeeds('go', 'version'));

async function hasHttpfs(): Promise<boolean> {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  return connection.run('LOAD httpfs').then(
    () => true,
    () => false,
  );
}

/** The recipes of docs/clients.md, as they are on the page. */
export function testRecipes(gateway: () => DemoGateway): void {
  /** The page's gateway listens on the usual port. */
  const here = (recipe: string) => recipe.replaceAll('http://127.0.0.1:4000', gateway().origin);
  const run = (program: string, args: readonly string[], input?: string) =>
    spawnSync(program, args, {
      env: { PATH: process.env.PATH, HOME: homedir(), KEY: gateway().key },
      encoding: 'utf8',
      ...(input !== undefined && { input }),
    });

  describe('the recipes of docs/clients.md', () => {
    test('each says whether the tests run it', () => {
      const silent = [...sections].filter(
        ([, text]) => /^ *```/m.test(text) && !/^ *(?:Run by the tests|Not run: )/m.test(text),
      );
      expect(silent.map(([heading]) => heading)).toEqual([]);
    });

    test('curl', () => {
      const commands = blocks(section('curl'), 'sh');
      expect(commands).toHaveLength(3);
      for (const command of commands) {
        const { status, stdout, stderr } = run('sh', ['-c', here(command)]);
        expect(status, stderr).toBe(0);
        expect(JSON.parse(stdout).result).not.toEqual([]);
      }
      const wrong = here(commands[0] ?? '').replace('logs.all', 'no.such');
      const { status, stdout } = run('sh', ['-c', wrong]);
      expect(status).not.toBe(0);
      expect(JSON.parse(stdout)).toHaveProperty('error.message');
    });

    test.skipIf(skipsPython)('Python', () => {
      const [program = ''] = blocks(section('Python and notebooks'), 'python');
      const { status, stdout, stderr } = run('python3', ['-'], here(program));
      expect(status, stderr).toBe(0);
      const lines = stdout.trim().split('\n');
      expect(lines.length).toBeGreaterThan(10);
      for (const line of lines)
        expect(line).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:00\+00:00 \d+ \d+(?:\.\d+)?$/);

      const wrong = run('python3', ['-'], here(program).replace('functions.invocation-stats', 'no.such'));
      expect(wrong.status).toBe(1);
      expect(wrong.stderr).toMatch(/^RuntimeError: No endpoint has this name or UUID/m);
    });

    test.skipIf(skipsHttpfs)('DuckDB', async () => {
      const [script = ''] = blocks(section('DuckDB'), 'sql');
      const instance = await DuckDBInstance.create(':memory:');
      const connection = await instance.connect();
      const results: Record<string, unknown>[][] = [];
      for (const statement of here(script).replace("getenv('KEY')", `'${gateway().key}'`).split(/;$/m)) {
        if (statement.trim() === '') continue;
        results.push((await connection.runAndReadAll(statement)).getRowObjectsJson());
      }
      const [usage = [], errors = []] = results.slice(-2);
      expect(usage.length).toBeGreaterThan(6);
      expect(Object.keys(usage[0] ?? {})).toEqual([
        'timestamp',
        'total_rest_requests',
        'total_storage_requests',
        'total_auth_requests',
        'total_realtime_requests',
      ]);
      for (const row of errors) {
        expect(Number(row.status)).toBeGreaterThan(399);
        expect(row.time).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/);
      }
      connection.closeSync();
      instance.closeSync();
    });

    test.skipIf(skipsInfinity)("Grafana's Infinity: fields of a frame", async () => {
      const cells = new Map(
        [...section('Grafana').matchAll(/^\| (\S+) \| (.*) \|$/gm)].map(([, field = '', value = '']) => [
          field,
          value.replace(/^`|`$/g, ''),
        ]),
      );
      expect(cells.get('Columns')).toBe('time` as *Time (UNIX ms)*, `count` and `errors` as *Number*');
      const response = await fetch(here(cells.get('URL') ?? ''), { headers: { 'x-api-key': gateway().key } });
      const body = await response.text();
      const columns = [
        { selector: 'time', type: 'timestamp_epoch' },
        { selector: 'count', type: 'number' },
        { selector: 'errors', type: 'number' },
      ];
      const read = (request: object) =>
        JSON.parse(
          execFileSync(infinity ?? '', { input: JSON.stringify(request), encoding: 'utf8' }),
        ) as Record<string, unknown[]>;
      const { result } = JSON.parse(body) as { result: Record<string, number>[] };
      expect(result.length).toBeGreaterThan(20);
      expect(read({ body, root: cells.get('Rows/Root'), columns })).toEqual({
        time: result.map(({ timestamp = 0 }) =>
          new Date(timestamp / 1000).toISOString().replace('.000Z', 'Z'),
        ),
        count: result.map(({ count }) => count),
        errors: result.map(({ error_count }) => error_count),
      });
      expect(read({ body: '{"result":[]}', root: cells.get('Rows/Root'), columns })).toEqual({});

      const nested =
        '{"result":[{"timestamp":"2026-11-21T23:00:00","metadata":[{"request":[{"path":"/a"}]}]}]}';
      const paths = [
        { selector: 'timestamp', type: 'timestamp' },
        { selector: 'metadata.0.request.0.path', alias: 'path', type: 'string' },
      ];
      expect(read({ body: nested, root: 'result', columns: paths })).toEqual({
        timestamp: ['2026-11-21T23:00:00Z'],
        path: ['/a'],
      });
    });

    test('a page of another origin may send the key, and read results and errors', async () => {
      const origin = Object.values(browserSettings())[0] ?? '';
      const url = `${gateway().origin}/api/endpoints/query/logs.all`;
      const preflight = await fetch(url, {
        method: 'OPTIONS',
        headers: {
          origin,
          'access-control-request-method': 'GET',
          'access-control-request-headers': 'x-api-key',
        },
      });
      expect(preflight.status).toBe(204);
      expect(preflight.headers.get('access-control-allow-headers')).toMatch(/x-api-key/i);
      const refused = await fetch(url, { headers: { origin } });
      expect(refused.status).toBe(401);
      for (const { headers } of [preflight, refused]) {
        expect(headers.get('access-control-allow-origin')).toBe(origin);
        expect(headers.get('access-control-allow-credentials')).toBeNull();
      }
    });
  });
}
