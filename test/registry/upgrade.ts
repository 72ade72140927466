import { deepEqual, equal, ok } from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import type { Project, Running } from './installed.ts';

/** How many results fill the cache. */
const results = 40;

/**
 * One folder of a user, with its store, its keys and a Redis full of results, under one version after the other. Keys and data
 * stay valid. Results of another version are read or ignored, and are never those of other rows.
 */
export async function playUpgrade(
  project: Project,
  versions: readonly string[],
  print: (line: string) => void,
): Promise<void> {
  const keys: string[] = [];
  /** By the first number: what was answered, by any version. */
  const given = new Map<number, Answer['rows'][]>();
  let rows = 1000;
  for (const [at, version] of versions.entries()) {
    project.install(version);
    equal(project.command('--version'), version);
    keys.push(
      project.command('keys', 'create', '--name', `of ${version}`, '--tenant', 'a').split('\n').at(-1) ?? '',
    );
    const running = await project.start();
    try {
      const statuses = new Map<string, number>();
      for (let first = 1; first <= results; first += 1) {
        const answer = await get(running, keys[0] ?? '', 'a', first);
        const known = given.get(first) ?? [];
        if (answer.cache === 'from the cache')
          ok(
            known.some((rows) => isDeepStrictEqual(rows, answer.rows)),
            `the result from ${first} was never computed`,
          );
        else deepEqual(answer.rows, rowsFrom(first, rows), `the rows from ${first}`);
        given.set(first, [...known, answer.rows]);
        statuses.set(answer.cache, (statuses.get(answer.cache) ?? 0) + 1);
      }
      // Every key, those made by other versions too; none reads the rows of another tenant.
      for (const key of keys) {
        deepEqual((await get(running, key, 'a', 1)).rows, given.get(1)?.at(-1), 'the rows of a key');
        equal((await get(running, key, 'b', 1)).status, 403);
      }
      // What is not cached sees all rows that were ever imported.
      deepEqual(
        (await get(running, keys[0] ?? '', 'a', results + 1 + at)).rows,
        rowsFrom(results + 1 + at, rows),
      );
      const added = rows + 100;
      project.addRows(rows + 1, added);
      rows = added;
      await untilImported(running, keys[0] ?? '', rows, 500 + at);
      const imported = /"msg":"(?:imported|[^"]*import[^"]*)"/.exec(running.log())?.[0] ?? '';
      print(
        `  ${version}: ${keys.length} keys valid; ${results} results ${[...statuses].map(([status, count]) => `${count} ${status}`).join(', ')}; ${rows} rows ${imported}`,
      );
      ok(!/"level":(?:50|60)/.test(running.log()), running.log());
    } finally {
      await running.close();
    }
  }
}

interface Answer {
  readonly status: number;
  readonly cache: string;
  readonly rows: readonly { readonly id: number; readonly name: string; readonly orders: number }[];
}

async function get({ origin }: Running, key: string, tenant: string, first: number): Promise<Answer> {
  const response = await fetch(`${origin}/api/endpoints/query/orders?tenant=${tenant}&first=${first}`, {
    headers: { 'x-api-key': key },
  });
  const { result = [] } = (await response.json()) as { readonly result?: Answer['rows'] };
  const cache = response.headers.get('cache-status') ?? '';
  return {
    status: response.status,
    cache: /\bhit\b/.test(cache) ? 'from the cache' : 'computed',
    rows: result,
  };
}

/** The rows of tenant a, which are the even ones. */
function rowsFrom(first: number, last: number): Answer['rows'] {
  const begin = first + (first % 2);
  const orders = (last - begin) / 2 + 1;
  return Array.from({ length: 10 }, (_, at) => ({
    id: begin + 2 * at,
    name: `order ${begin + 2 * at}`,
    orders,
  }));
}

async function untilImported(running: Running, key: string, last: number, first: number): Promise<void> {
  for (let tries = 0; tries < 300; tries += 1) {
    // Each time another question, because results are kept.
    const { rows } = await get(running, key, 'a', first * 1000 + tries - 1_000_000);
    if (rows[0]?.orders === last / 2) return;
    await new Promise((done) => setTimeout(done, 200));
  }
  throw new Error('the new rows are not imported');
}
