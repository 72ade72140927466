import { settingDefault, type SettingValues } from '../../config/settings.ts';
import { missingTableHint } from '../../problems/print-problems.ts';
import { readSqlOptions, type SqlFlags } from './options.ts';
import { outcomeJson, outcomeText } from '@querygate/bigquery-sql/command';
import { openRunner } from './runner.ts';

/**
 * `querygate sql`: runs BigQuery SQL on the local data.
 *
 * @param given statements and files
 * @returns whether all statements succeeded
 * @throws StartError if the command line or the data has problems
 */
export async function runSql(
  settings: SettingValues,
  given: readonly string[],
  flags: SqlFlags,
): Promise<boolean> {
  const options = await readSqlOptions(
    given,
    flags,
    settings.QUERIES_DIR ?? settingDefault('QUERIES_DIR') ?? '',
  );
  const { statements, json, explain, timeoutMs, maxRows } = options;
  const texts = statements.flatMap((statement) => ('error' in statement ? [] : [statement.sql]));
  const runner = openRunner({ settings, texts, explain, timeoutMs, maxRows });
  let succeeded = true;
  try {
    await runner.open();
    for (const [at, statement] of statements.entries()) {
      const startedAt = performance.now();
      const outcome = 'error' in statement ? statement : await runner.run(statement);
      const elapsedMs = performance.now() - startedAt;
      const text = json ? outcomeJson(at + 1, outcome) : outcomeText(outcome, elapsedMs);
      process.stdout.write(!json && at > 0 ? `\n${text}` : text);
      if (!('error' in outcome)) continue;
      succeeded = false;
      if (!json) process.stderr.write(missingTableHint([outcome.error]));
    }
  } finally {
    await runner.close();
  }
  return succeeded;
}
