import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { answerOf } from '../local/answer.ts';
import type { Measured } from './measured.ts';

const version = '30.30.0';

const folder = join(import.meta.dirname, '..', '.cache', `sqlglot-${version}`);

/** Translates each statement, and says how many milliseconds it took. */
const program = `
import json, sys, time, logging
logging.disable(logging.CRITICAL)
import sqlglot
answers = []
for sql in json.load(sys.stdin):
    start = time.perf_counter()
    try:
        made = {'sql': sqlglot.transpile(sql, read='bigquery', write='duckdb', unsupported_level=sqlglot.ErrorLevel.IGNORE)[0]}
    except Exception as error:
        made = {'error': str(error)}
    answers.append({**made, 'ms': (time.perf_counter() - start) * 1000})
json.dump(answers, sys.stdout)
`;

type Made = { readonly ms: number } & ({ readonly sql: string } | { readonly error: string });

/** sqlglot from BigQuery's SQL to DuckDB's, and this DuckDB. It is installed apart from everything else. */
export async function runSqlglot(statements: readonly string[]): Promise<readonly Measured[]> {
  if (!existsSync(folder))
    execFileSync('python3', ['-m', 'pip', 'install', '--quiet', '--target', folder, `sqlglot==${version}`], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  const made = JSON.parse(
    execFileSync('python3', ['-c', program], {
      input: JSON.stringify(statements),
      env: { ...process.env, PYTHONPATH: folder },
      maxBuffer: 2 ** 28,
    }).toString(),
  ) as readonly Made[];
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  await connection.run("SET TimeZone = 'UTC'");
  const answers: Measured[] = [];
  for (const one of made) {
    if ('error' in one) {
      answers.push({ answer: { error: one.error, stage: 'analysis' }, ms: one.ms });
      continue;
    }
    const startedAt = performance.now();
    const answer = await answerOf(() => connection.run(one.sql));
    answers.push({ answer, ms: one.ms + performance.now() - startedAt });
  }
  connection.closeSync();
  instance.closeSync();
  return answers;
}

export const sqlglotName = `sqlglot ${version}`;
