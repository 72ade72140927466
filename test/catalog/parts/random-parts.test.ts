import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDialect } from '../../../packages/bigquery-sql/test/harness.ts';
import { chooseBy, randomQuery } from '../../../packages/bigquery-sql/test/passes/random-queries.ts';
import { parseCatalog } from '../../../src/catalog/folder/load-catalog.ts';
import { partText, queryText } from '../../support/queries.ts';
import { times } from '../../support/nightly.ts';

/** More of them are run by hand: `PARTS_QUERIES=1000 npx vitest run test/catalog/parts/random-parts.test.ts`. */
const queryCount = Number(process.env.PARTS_QUERIES ?? times(12));

let dialect: Awaited<ReturnType<typeof openDialect>>;
beforeAll(async () => {
  dialect = await openDialect();
});
afterAll(() => dialect.close());

const namesOfParts = [
  'part_inner',
  'query',
  '`inner`',
  'part_middle',
  'middle',
  'part_inner_2',
  'reader',
  'i',
  'm',
];

/** With aliases that are names of parts, and of their common tables. */
const withNamesOfParts = (sql: string): string =>
  sql.replace(/\b([aA])(\d+)\b/g, (alias, letter: string, at: string) => {
    const name = namesOfParts[Number(at) - 1];
    if (name === undefined) return alias;
    return letter === 'A' ? name.toUpperCase() : name;
  });

/** A query over a random one as a part two levels deep, whose parameter is bound. */
function composedOf(sql: string, select: (part: (name: string) => string) => string) {
  const usesKind = /@kind\b/.test(sql);
  const kind = usesKind ? { kind: 'string' } : undefined;
  const bound = usesKind ? "(kind => 'a')" : '';
  const files = {
    'inner.sql': partText(sql, kind),
    'middle.sql': partText('SELECT * FROM query.inner AS i', kind),
    'reader.sql': queryText({
      name: 'reader',
      columns: { x: 'string' },
      sql: select((name) => `query.${name}${bound}`),
    }),
  };
  const contents = new Map(Object.entries(files).map(([path, text]) => [path, { text }]));
  return parseCatalog('', contents).queries[0];
}

/** The SQL of such a query, and the same pasted by hand. */
function pairOf(sql: string): readonly [composed: string, pasted: string] {
  const query = composedOf(
    sql,
    (part) => `SELECT * FROM ${part('middle')} AS m UNION ALL SELECT * FROM ${part('inner')}`,
  );
  const own = `(${sql})`.replaceAll(/@kind\b/g, "'a'");
  return [query?.sql ?? '', `SELECT * FROM (SELECT * FROM ${own} AS i) AS m UNION ALL SELECT * FROM ${own}`];
}

async function outcomeOf(sql: string): Promise<unknown> {
  const [outcome] = await dialect.savedQuery(sql, {}).catch((error: unknown) => [{ rows: String(error) }]);
  const { rows } = outcome ?? {};
  return Array.isArray(rows) ? rows.map((row) => JSON.stringify(row)).sort() : 'failed';
}

/** Ways to read a part, whatever its columns are. */
const readers: readonly ((part: (name: string) => string) => string)[] = [
  (part) => `SELECT * FROM ${part('middle')} AS m UNION ALL SELECT * FROM ${part('inner')}`,
  (part) =>
    `SELECT TO_JSON_STRING(m) AS x, COUNT(*) AS n FROM ${part('middle')} AS m GROUP BY x HAVING n < 3`,
  (part) =>
    `SELECT a.x FROM (SELECT FORMAT('%T', i) AS x FROM ${part('inner')} AS i) AS a JOIN (SELECT FORMAT('%T', m) AS x FROM ${part('middle')} AS m) AS b ON a.x = b.x`,
  (part) => `SELECT * FROM ${part('inner')} WHERE EXISTS (SELECT 1 FROM ${part('middle')}) AND RAND() < 2`,
];

test('random parts that are computed before their readers give them the same rows', async () => {
  const counts = { compared: 0, failed: 0, alone: 0, other: 0 };
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(1000), { minLength: 5, maxLength: 150, size: 'max' }), async (tape) => {
      const sql = randomQuery(chooseBy(tape));
      fc.pre(!sql.startsWith('WITH RECURSIVE'));
      for (const reader of readers) {
        const query = composedOf(sql, reader);
        // Both parts, or one of them.
        const names = query?.hiddenTables?.filter((_, at) => tape.length % 3 !== at) ?? [];
        const rows = await dialect.shared(query?.sql ?? '', names).catch((error: unknown) => String(error));
        if (rows === undefined) counts.alone += 1;
        else if (typeof rows === 'string') counts.other += 1;
        else {
          const [inlined, shared] = rows.map((one) =>
            Array.isArray(one) ? one.map((row) => JSON.stringify(row)).sort() : 'failed',
          );
          if (inlined === 'failed') counts.failed += 1;
          else {
            expect(shared, query?.sql).toEqual(inlined);
            counts.compared += 1;
          }
        }
      }
    }),
    { numRuns: queryCount, ...(process.env.PARTS_SEED && { seed: Number(process.env.PARTS_SEED) }) },
  );
  if (process.env.PARTS_DEBUG) console.log(counts);
  expect(counts.compared).toBeGreaterThan(queryCount / 2);
}, 6_000_000);

test('random queries have the same rows as parts and pasted by hand', async () => {
  const counts = { compared: 0, failed: 0 };
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(1000), { minLength: 5, maxLength: 150, size: 'max' }), async (tape) => {
      const random = randomQuery(chooseBy(tape));
      const sql = tape.length % 2 === 0 ? random : withNamesOfParts(random);
      // No part begins with it.
      fc.pre(!sql.startsWith('WITH RECURSIVE'));
      const [composed, pasted] = pairOf(sql);
      const [one, other] = [await outcomeOf(composed), await outcomeOf(pasted)];
      expect(one, composed).toEqual(other);
      counts[one === 'failed' ? 'failed' : 'compared'] += 1;
    }),
    { numRuns: queryCount, ...(process.env.PARTS_SEED && { seed: Number(process.env.PARTS_SEED) }) },
  );
  if (process.env.PARTS_DEBUG) console.log(counts);
  expect(counts.compared).toBeGreaterThan(queryCount / 2);
}, 6_000_000);
