import { StartError } from '../errors.ts';
import { UsageError } from './arguments.ts';
import { readSqlOptions } from './sql/options.ts';
import { outcomeJson, outcomeText } from './sql/output.ts';
import { openRunner } from './sql/runner.ts';
import { usage } from './sql/usage.ts';

/** Exit code 1: a statement failed. 2: the command line or the data has problems. */
const exitCodes = { failed: 1, badStart: 2 };

try {
  const args = process.argv.slice(2);
  if (args.includes('--help')) process.stdout.write(usage);
  else await runSql(args);
} catch (error) {
  if (!(error instanceof StartError)) throw error;
  process.stderr.write(`${error.message}\n`);
  if (error instanceof UsageError) process.stderr.write(`\n${usage}`);
  process.exitCode = exitCodes.badStart;
}

async function runSql(args: readonly string[]): Promise<void> {
  const options = await readSqlOptions(args, process.stdin);
  const { statements, json, explain, timeoutMs, maxRows } = options;
  // A reader that closes the pipe early, as head does, is no error.
  process.stdout.on('error', () => process.exit());
  const runner = openRunner({ texts: statements.map(({ sql }) => sql), explain, timeoutMs, maxRows });
  try {
    await runner.open();
    for (const [at, statement] of statements.entries()) {
      const startedAt = performance.now();
      const outcome = await runner.run(statement);
      const elapsedMs = performance.now() - startedAt;
      const text = json ? outcomeJson(at + 1, outcome) : outcomeText(outcome, elapsedMs);
      process.stdout.write(!json && at > 0 ? `\n${text}` : text);
      if ('error' in outcome) process.exitCode = exitCodes.failed;
    }
  } finally {
    await runner.close();
  }
}
