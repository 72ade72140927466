import { compile } from '../src/compile.ts';
import { duckdbText } from '../src/passes/duckdb-text.ts';
import { printPlan } from '../src/duckdb/plan.ts';
import { runPasses } from '../src/passes/passes.ts';
import { freshNames } from '../src/tree/fresh-names.ts';
import { openDialectDatabase } from '../test/support/dialect-database.ts';
import { isQuery } from './cases.ts';
import type { Verdict } from './judge.ts';
import { operandsOf } from './null-arguments.ts';

const rows = 3;

/**
 * Computes each function and operator of the cases with a random value for one operand, each operand in turn, and counts the
 * values that are drawn: a query draws one for each row at most. Operands of the same types are tried once.
 *
 * @returns what draws more, for each operand
 */
export async function repeatedDraws(verdicts: readonly Verdict[]): Promise<readonly string[]> {
  const { connection, close } = await openDialectDatabase({ threads: '1' });
  await connection.run('CREATE SEQUENCE draws');
  await connection.run("CREATE OR REPLACE MACRO bq.rand() AS CAST(nextval('draws') % 2 AS DOUBLE) / 2");
  const drawn = async (): Promise<bigint> => {
    const [[count] = []] = (await connection.runAndReadAll("SELECT nextval('draws')")).getRows();
    return BigInt(String(count));
  };
  const problems: string[] = [];
  for (const sql of queriesOf(verdicts)) {
    const texts = textsOf(sql);
    for (const text of texts) {
      const before = await drawn();
      const prepared = await connection.prepare(text).catch((error: Error) => error);
      // Constants that a plan needs are computed by the service.
      if (prepared instanceof Error) problems.push(`${sql}: ${prepared.message}`);
      else if (prepared.parameterCount === 0) await prepared.run().catch(() => {});
      const draws = (await drawn()) - before - 1n;
      if (draws > rows) problems.push(`${sql}: ${draws} values are drawn for ${rows} rows: ${text}`);
    }
  }
  close();
  return problems;
}

function queriesOf(verdicts: readonly Verdict[]): readonly string[] {
  const known = new Set<string>();
  return verdicts.flatMap(({ case: { kind, sql, template }, verdict, reference }) => {
    const isExpression = kind !== 'query' && !isQuery(template.text);
    if (verdict !== 'agrees' || 'error' in reference || !isExpression || isRandom.test(sql)) return [];
    return operandsOf(sql, []).flatMap(({ place, keyWith }) => {
      const key = keyWith('random');
      if (known.has(key)) return [];
      known.add(key);
      const operand = sql.slice(place.start, place.end);
      const random = `if(rand() < 0.5, ${operand}, ${operand})`;
      const expression = `${sql.slice(0, place.start)}${random}${sql.slice(place.end)}`;
      return [`${expression} from unnest(generate_array(1, ${rows}))`];
    });
  });
}

const isRandom = /\b(rand|generate_uuid)\b/i;

/** A query without passes and with them; none where an operand must be constant, or cannot be in IF. */
function textsOf(sql: string): readonly string[] {
  try {
    const { query } = compile({ sql, source: { file: 'case', line: 1 } }, []);
    const plan = printPlan(runPasses(query, { known: {}, fresh: freshNames(query) }));
    return [...new Set([duckdbText(query), plan.sql])];
  } catch {
    return [];
  }
}
