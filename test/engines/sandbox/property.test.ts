import { unfilteredTables } from '@querygate/bigquery-sql/analysis';
import { type JudgedSql, openSandbox, type Sandbox } from '@querygate/bigquery-sql/sandbox';
import { compileTree, forEachNode, tablesOf } from '@querygate/bigquery-sql/tree';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { tables as plainTables } from '../../../packages/bigquery-sql/test/harness.ts';
import { chooseBy, randomQuery } from '../../../packages/bigquery-sql/test/passes/random-queries.ts';
import { mutationsOf } from '../../../packages/bigquery-sql/test/syntax/mutations.ts';
import { judged } from '../../../src/catalog/binding/caller-sql.ts';
import { GatewayError } from '../../../src/errors.ts';
import { escapes } from './escapes.ts';
import { canary, canaryNumber, openWorld, type World } from './world.ts';

/** 50,000 by hand: `SANDBOX_TEXTS=50000 npx vitest run test/engines/sandbox`. */
const texts = Number(process.env.SANDBOX_TEXTS ?? 80);

/** What hostile texts are made of, beside the tokens of the other texts. */
const pieces = [
  ...[
    'vault',
    '`vault`',
    'data.vault',
    'secret',
    'tenant',
    't.tenant',
    '*',
    'logs',
    'events',
    'Logs',
    '`logs`',
    'l.metadata',
  ],
  ...[
    '(select secret from vault)',
    "read_csv('secret.txt')",
    "getenv('HOME')",
    "current_setting('threads')",
    'session_user()',
  ],
  ...[
    "external_query('a', 'b')",
    'information_schema.tables',
    'bq.fail(1)',
    'own(1)',
    '@tenant',
    '@kind',
    '@other',
    '@@x',
    '?',
    '$1',
  ],
  ...[
    'with logs as (select * from vault)',
    'union all select secret from vault',
    ', vault',
    'join vault on true',
    'cross join unnest(l.tags)',
  ],
  ...[
    '; select * from vault',
    ') select * from vault --',
    '/*',
    '*/',
    '--',
    '#',
    '\n',
    '\r',
    "'",
    '"',
    '`',
    '\\',
    "r'\\'",
    "'''",
    '"""',
    '\u2028',
    '\u00a0',
    '\u0000',
  ],
  ...[
    'select',
    'from',
    'where',
    'group by',
    'order by',
    'limit',
    'qualify',
    'over ()',
    'as',
    '(',
    ')',
    ',',
    '.',
    '|>',
    '||',
    '=',
    'in',
    'exists',
  ],
  ...[
    'error(project)',
    'cast(project as int64)',
    'safe_cast(project as int64)',
    'to_json_string(l)',
    'array_agg(project)',
    'count(*)',
    'l.*',
    'l',
  ],
];

const seeds = [
  'select count(*) as n from logs',
  'select id, project from logs as l where project = @tenant order by id limit 10',
  'select m.level, r.path, r.status from logs l cross join unnest(l.metadata) m left join unnest(m.request) r',
  'with a as (select * from events), b as (select * from a where id > 1) select * from b join logs l using (id)',
  'select timestamp_trunc(timestamp, minute) as t, count(*) as c from logs group by t order by t',
  "select * from projects p where exists (select 1 from logs l where l.project = p.project and regexp_contains(p.tier, 'P'))",
  'select (select string_agg(t) from unnest(l.tags) t) as s, array(select x.level from unnest(l.metadata) x) as a from logs l',
  'select distinct project, row_number() over (partition by project order by id) as n from logs qualify n = 1',
  ...escapes.map(([sql]) => sql),
];

const generated = fc
  .array(fc.nat(1000), { minLength: 5, maxLength: 120, size: 'max' })
  .map((tape) => randomQuery(chooseBy(tape)));

/** A text with some of the pieces put into it, or in place of a part of it. */
const spliced = (text: fc.Arbitrary<string>) =>
  fc
    .record({
      text,
      changes: fc.array(fc.record({ at: fc.nat(), cut: fc.nat(12), piece: fc.constantFrom(...pieces) }), {
        minLength: 1,
        maxLength: 4,
      }),
    })
    .map(({ text: sql, changes }) =>
      changes.reduce((changed, { at, cut, piece }) => {
        const from = at % (changed.length + 1);
        return `${changed.slice(0, from)} ${piece} ${changed.slice(from + cut)}`;
      }, sql),
    );

const anyText = fc.oneof(
  { weight: 3, arbitrary: generated },
  { weight: 2, arbitrary: mutationsOf(seeds) },
  { weight: 2, arbitrary: spliced(fc.constantFrom(...seeds)) },
  { weight: 1, arbitrary: spliced(generated) },
  {
    weight: 1,
    arbitrary: fc
      .array(fc.constantFrom(...pieces), { maxLength: 14 })
      .map((words) => `select ${words.join(' ')}`),
  },
);

/** With the rows of others: in the process of the engine, and in processes of its own; and without them. */
let beside: World;
let apart: World;
let alone: World;
let sandbox: Sandbox;
let storedTables: Parameters<typeof openSandbox>[1];
beforeAll(async () => {
  [beside, apart, alone] = await Promise.all([
    openWorld({ others: true }),
    openWorld({ others: true, isolate: true }),
    openWorld({ others: false }),
  ]);
  const text = { type: 'STRING', mode: 'NULLABLE' } as const;
  storedTables = [
    ...plainTables.map(({ name, fields }) => ({ name, fields: [{ name: 'tenant', ...text }, ...fields] })),
    {
      name: 'vault',
      fields: [
        { name: 'tenant', ...text },
        { name: 'secret', ...text },
      ],
    },
  ];
  sandbox = openSandbox(alone.query, storedTables);
});
afterAll(async () => {
  for (const world of [beside, apart, alone]) await world.close();
});

const reach = ['events', 'logs', 'projects'];

test.each([
  ['in the process of the engine', () => beside],
  ['in processes of its own', () => apart],
])(
  'no text reads a table, a file, a setting or a tenant beside the common tables, %s',
  {
    timeout: Math.max(300_000, 200 * texts),
  },
  async (_, open) => {
    const world = open();
    const counts = { refused: 0, failed: 0, defects: 0, returned: 0, withRows: 0, differing: 0, late: 0 };
    await fc.assert(
      fc.asyncProperty(anyText, async (sql) => {
        const judged = judge(sql);
        const outcome = await world.run(sql);
        // Texts that the caller wrote may come back.
        if (!sql.includes(canary)) expect(outcome).not.toContain(canary);
        expect(outcome).not.toContain(String(canaryNumber).slice(0, 6));
        if (judged === undefined) {
          counts.refused += 1;
          expect(outcome).toMatch(/^INVALID_PARAMETER sql: /);
          return;
        }
        requireWithin(judged, sql);
        if (!outcome.startsWith('[')) {
          if (outcome.startsWith('ENGINE_FAILED')) counts.defects += 1;
          else counts.failed += 1;
          expect(outcome).toMatch(
            /^(INVALID_PARAMETER|QUERY_TOO_EXPENSIVE|ENGINE_TIMEOUT|ENGINE_FAILED sql: DuckDB has a defect) /,
          );
        } else {
          counts.returned += 1;
          if (outcome !== '[]') counts.withRows += 1;
        }
        // Without the rows of others the outcome is the same: nothing of them can be observed.
        if (/rand|uuid/i.test(sql)) return;
        const own = await alone.run(sql);
        if (own === outcome) return;
        // Without enough processor time a query is late; how often is checked below.
        if (`${own}${outcome}`.includes('ENGINE_TIMEOUT')) {
          counts.late += 1;
          return;
        }
        counts.differing += 1;
        expect(sortedRows(outcome), `${sql}\n${judged.bigqueryText()}`).toBe(sortedRows(own));
      }),
      {
        numRuns: texts,
        endOnFailure: true,
        ...(process.env.SANDBOX_SEED && { seed: Number(process.env.SANDBOX_SEED) }),
      },
    );
    if (process.env.SANDBOX_TEXTS) console.log(counts);
    // None of 50,000 is known to meet a defect of DuckDB.
    expect(counts.defects).toBeLessThanOrEqual(texts / 1000);
    expect(counts.late).toBeLessThan(texts / 200);
    expect(counts.withRows).toBeGreaterThan(texts / 50);
    expect(counts.refused).toBeGreaterThan(texts / 10);
  },
);

/** Rows of a result without ORDER BY may come in any order. */
const sortedRows = (outcome: string): string => [...outcome].sort().join('');

function judge(sql: string): JudgedSql | undefined {
  try {
    return judged(() => sandbox.judge(sql));
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    expect(error.message).toMatch(/^sql: line \d+, column \d+: \S/);
    expect(error.message).not.toMatch(/\n\s+at |undefined/);
    return undefined;
  }
}

/** The tree for DuckDB and the text for BigQuery read the common tables only. */
function requireWithin({ compiled, bigqueryText }: JudgedSql, sql: string): void {
  const stored = compiled.tables.filter((table) => !describing.test(table));
  for (const table of stored) expect(reach).toContain(table);
  const unfiltered = unfilteredTables(compiled.query, tenant);
  expect(unfiltered.filter((table) => table.kind !== 'table' || !describing.test(table.name))).toEqual([]);
  const { query } = compiled;
  if (query.kind === 'with') {
    // Tables are named inside of the common tables of the saved query, and nowhere else.
    const own = query.tables.slice(0, stored.length).map(({ query: inner }) => inner);
    const inside = own.flatMap((inner) => namedTables(inner));
    expect(namedTables(query).length, sql).toBe(inside.length);
  } else expect(namedTables(query)).toEqual([]);

  if (stored.length < compiled.tables.length) {
    expect(bigqueryText).toThrow('The SQL cannot run in the sandbox');
    return;
  }
  const text = bigqueryText();
  const again = compileTree({ sql: text, source: { file: 'sent.sql', line: 1 } }, storedTables);
  expect(tablesOf(again.query).toSorted(), text).toEqual([...compiled.tables].toSorted());
  expect(again.columns.map(({ name }) => name)).toEqual(compiled.columns.map(({ name }) => name));
  expect(unfilteredTables(again.query, tenant)).toEqual([]);
}

const tenant = { name: 'tenant', isPattern: false };

/** Tables that describe the common tables. */
const describing = /^INFORMATION_SCHEMA\.(?:TABLES|COLUMNS)$/;

/** The tables that are named, beside those whose rows are values in the text. */
function namedTables(root: Parameters<typeof forEachNode>[0]): readonly string[] {
  const names: string[] = [];
  forEachNode(root, (node) => {
    if (node.kind !== 'table') return;
    if (describing.test(node.name))
      expect(node.relation).toMatch(/^\(SELECT (?:(?!FROM|SELECT).)* FROM \(VALUES /);
    else names.push(node.name);
  });
  return names;
}
