import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type CliLine, toAnswer } from './cli-answer.ts';
import type { Answer } from './values.ts';

/** The answer of a command that ended early. */
export const lost: Answer = { error: 'no line was printed', stage: 'broken' };

/**
 * Runs statements by the package's own command, which is started again behind a statement that ends it.
 *
 * @param timeout seconds that one statement may take
 */
export async function runCommand(statements: readonly string[], timeout: string): Promise<readonly Answer[]> {
  const folder = mkdtempSync(join(tmpdir(), 'bigquery-sql-suite-'));
  const texts = join(folder, 'statements.json');
  const command = join(import.meta.dirname, '../src/bigquery-sql.ts');
  const args = [command, '--json', '--timeout', timeout, '--file', texts];
  const answers: Answer[] = [];
  while (answers.length < statements.length) {
    writeFileSync(texts, JSON.stringify(statements.slice(answers.length)));
    const { stdout } = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    // Not `readline`, for which U+2028 in an answer ends a line. The last line of a command that ended early is incomplete.
    const lines = (await text(stdout)).split('\n').slice(0, -1);
    answers.push(...lines.map((line) => toAnswer(JSON.parse(line) as CliLine)));
    if (answers.length < statements.length) answers.push(lost);
  }
  rmSync(folder, { recursive: true });
  return answers;
}
