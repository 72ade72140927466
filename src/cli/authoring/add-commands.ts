import { type Command, Option } from 'commander';
import type { SettingName } from '../../config.ts';
import { exitCode } from '../../http/node/graceful-shutdown.ts';
import type { NewOptions } from '../new/new-query.ts';
import type { LoadedSettings } from '../settings/load-settings.ts';

type Values = Readonly<Record<string, unknown>>;

interface CommandTools {
  /** Adds an option for every setting; the help shows some. */
  addSettings(command: Command, shown: readonly SettingName[]): Command;
  settingsOf(values: Values): LoadedSettings;
}

/** The commands with which saved queries are written and tested. */
export function addAuthoring(program: Command, { addSettings, settingsOf }: CommandTools): void {
  addSettings(program.command('new <name> [file]'), ['ENGINE', 'QUERIES_DIR'])
    .description('write a saved query from SQL in a file or on standard input')
    .option('--force', 'replace the file if it exists; its id and descriptions stay')
    .option(
      '--parameter <name>',
      'make a proposed literal this parameter, with the literal as its default; may be repeated; or all',
      (name: string, before: readonly string[] = []) => [...before, name],
    )
    .action(async (name: string, file: string | undefined, values: Values & NewOptions) => {
      const { newQuery } = await import('../new/new-query.ts');
      const isWritten = await newQuery(settingsOf(values), name, file, values);
      process.exitCode = isWritten ? exitCode.ok : exitCode.problems;
    });

  const tables = program
    .command('tables')
    .description('manage the tables that saved queries read')
    .helpCommand('help [command]', 'print the help of a command');
  addSettings(tables.command('add <name> [file...]'), ['QUERIES_DIR'])
    .description(
      "write the schema file of a table, from a data file (NDJSON, JSON, CSV, Parquet), or from what bq show --schema --format=prettyjson prints, in a file or on standard input; of a table for each file, if the name ends in *, as in 'events_*'",
    )
    .option('--force', 'replace the file if it exists')
    .action(async (name: string, files: string[], values: Values) => {
      const { addTable } = await import('../tables/add-table.ts');
      await addTable(settingsOf(values), name, files, { force: values.force === true });
    });

  addSettings(program.command('test [name...]'), ['ENGINE', 'QUERIES_DIR'])
    .description('run the tests of saved queries, by name or all')
    .option('--watch', 'run them again when a file of the queries folder changes')
    .option('--update', 'write the rows of failed tests into their files as the expected ones')
    .option('--junit <file>', "write the outcomes as JUnit's XML, too")
    .option('--mutate', 'change the queries, and list the changes that no test notices')
    .action(async (names: string[], values: Values) => {
      const { testCommand } = await import('../query-tests/test-command.ts');
      const isPassing = await testCommand(settingsOf(values), names, values);
      process.exitCode = isPassing ? exitCode.ok : exitCode.problems;
    });

  addSettings(program.command('diff <ref>'), ['ENGINE', 'QUERIES_DIR'])
    .description('compare the saved queries with those of a git commit, and say what changes for callers')
    .addOption(
      new Option('--fail-on <level>', 'with which changes it fails')
        .choices(['breaking', 'dangerous', 'never'])
        .default('breaking'),
    )
    .option('--max-bytes-ratio <number>', 'how many times as many bytes a query may read on BigQuery')
    .option('--json', 'print JSON')
    .option('--github', 'print changes that are not safe as annotations of GitHub Actions, too')
    .action(async (ref: string, values: Values) => {
      const { diffCommand } = await import('../diff/diff-command.ts');
      const isPassing = await diffCommand(settingsOf(values), ref, values);
      process.exitCode = isPassing ? exitCode.ok : exitCode.problems;
    });
}
