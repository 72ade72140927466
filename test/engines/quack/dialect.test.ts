import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { DuckDBPreparedStatement } from '@duckdb/node-api';
import {
  type Bindings,
  bindingsOf,
  bindTo,
  buildCompute,
  notOnServerText,
  printPlan,
  serverText,
  withCountsForServer,
} from '@querygate/bigquery-sql/duckdb';
import { duckdbText, runPasses } from '@querygate/bigquery-sql/passes';
import { compileTree, freshNames, schemaTables } from '@querygate/bigquery-sql/tree';
import { type Case, loadCases } from '../../../packages/bigquery-sql/conformance/cases.ts';
import { isSame } from '../../../packages/bigquery-sql/conformance/compare.ts';
import { loadShipped } from '../../../packages/bigquery-sql/conformance/load-shipped.ts';
import { loadTables } from '../../../packages/bigquery-sql/conformance/load-tables.ts';
import { answerOf, failure } from '../../../packages/bigquery-sql/conformance/local/answer.ts';
import { createTable } from '../../../packages/bigquery-sql/conformance/local/create-table.ts';
import { type Answer, showAnswer } from '../../../packages/bigquery-sql/conformance/values.ts';
import { openDialectDatabase } from '../../../packages/bigquery-sql/test/support/dialect-database.ts';
import { openClient } from '../../../src/engines/quack/client.ts';
import { checkQuackOptions } from '../../../src/engines/quack/quack-options.ts';
import type { Session } from '../../../src/engines/quack/sessions.ts';
import { extensionsDir, isWithoutExtensions } from '../../support/duckdb-extensions.ts';
import { isNightly } from '../../support/nightly.ts';
import { quackServer } from '../../support/quack-server.ts';

const shipped = loadShipped();
const tables = [
  ...loadTables(join(import.meta.dirname, '../../../packages/bigquery-sql/conformance/cases/tables.yaml')),
  ...shipped.tables,
];
const created = tables.map(createTable).join(';\n');

const server = await quackServer(created);
const { connection, close } = await openDialectDatabase({ threads: '1', memory_limit: '1GB' });
afterAll(async () => {
  close();
  await server.kill();
});

/** What each case gives in this process and on the server, or why no server can run it. */
interface Outcome {
  readonly here: Answer;
  readonly there?: Answer;
  readonly missing: readonly string[];
}

const volatile = /\b(rand|generate_uuid|current_\w+|session_user)\b/i;

async function outcomeOf({ sql, parameters }: Case, session: Session): Promise<Outcome | undefined> {
  const statements: DuckDBPreparedStatement[] = [];
  const prepare = async (text: string) => {
    const statement = await connection.prepare(text);
    statements.push(statement);
    return statement;
  };
  try {
    const source = { file: 'case', line: 1 };
    const declared = Object.keys(parameters).map((name) => ({ name, bind: 'STRING' }) as const);
    const { query, columns } = compileTree({ sql, source, parameters: declared }, schemaTables(tables));
    const passed = runPasses(query, { known: parameters, fresh: freshNames(query) });
    const plan = printPlan(withCountsForServer(passed));
    const given = bindingsOf(parameters, new Date(), declared);
    const computed = await buildCompute(connection, prepare)(plan.constants, given).catch(() => undefined);
    const [text, values]: [string, Bindings] =
      computed === undefined ? [duckdbText(withCountsForServer(query)), given] : [plan.sql, computed];
    const here = await answerOf(async () => {
      const statement = await prepare(text);
      bindTo(statement, values);
      return statement.run();
    }, columns);
    const onServer = serverText(text);
    const { missing } = onServer;
    if (missing.length > 0) return { here, missing };
    const there = await answerOf(() => session.run(onServer, values, ''), columns);
    return { here, there, missing };
  } catch (error) {
    // The compiler refuses it for every database.
    return failure(error) && undefined;
  } finally {
    for (const statement of statements) statement.destroySync();
  }
}

/** One case of every twentieth line; at night six of each, as the short form of the suite has. */
function someCases(): readonly Case[] {
  const lines = Map.groupBy([...loadCases(), ...shipped.cases], ({ template }) => template).values();
  return [...lines]
    .filter((_, at) => isNightly || at % 40 === 0)
    .flatMap((group) => {
      const step = Math.max(1, (group.length - 1) / 5);
      return isNightly
        ? group.filter((_, at) => at === Math.round(Math.round(at / step) * step))
        : group.slice(0, 1);
    })
    .filter(({ sql }) => !volatile.test(sql));
}

test.skipIf(isWithoutExtensions)(
  'cases of the dialect give the same rows on a server, or are refused by name',
  { timeout: 1_200_000 },
  async () => {
    await server.start();
    for (const sql of created.split(';\n')) await connection.run(sql);
    const settings = checkQuackOptions({ url: server.url, token: server.token, extensionsDir });
    const client = await openClient(settings);
    const sessions = await client.openSessions(() => new Map());
    const wrong: string[] = [];
    const counts = new Map<string, number>();
    await sessions.use(async (session) => {
      for (const one of someCases()) {
        const outcome = await outcomeOf(one, session);
        const kind = outcome === undefined ? 'refused everywhere' : kindOf(outcome);
        counts.set(kind, (counts.get(kind) ?? 0) + 1);
        if (kind === 'wrong' && outcome !== undefined)
          wrong.push(
            `${one.sql}\n  here: ${showAnswer(outcome.here)}\n  there: ${outcome.there && showAnswer(outcome.there)}`,
          );
      }
    });
    client.database.close();
    expect(wrong).toEqual([]);
  },
);

function kindOf({ here, there, missing }: Outcome): string {
  if (there === undefined) return `missing ${missing.join(', ')}`;
  if ('error' in there && there.error.includes(notOnServerText)) return 'rare value';
  return isSame(there, here, false) ? 'same' : 'wrong';
}
