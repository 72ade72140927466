import { Command, CommanderError, Option } from 'commander';
import { type SettingName, settingDefault, settingNames } from '../config.ts';
import { GatewayError, StartError } from '../errors.ts';
import { exitCode } from '../http/node/graceful-shutdown.ts';
import { packageVersion } from '../version.ts';
import { addAuthoring } from './authoring/add-commands.ts';
import { problemsText } from './problems/print-problems.ts';
import { defaultConfigFile } from './settings/config-file.ts';
import { type FlagSettings, type LoadedSettings, loadSettings } from './settings/load-settings.ts';
import { settingMeanings } from './settings/meanings.ts';
import { flagOfSetting } from './settings/setting-keys.ts';
import type { SqlFlags } from './sql/options.ts';
import { sqlUsage } from './sql/usage.ts';

/** Commands that exit with 2 if they cannot start; with 1 they end for another reason. */
const startCommands: ReadonlySet<string> = new Set(['start', 'dev', 'sql', 'diff']);

type Values = Readonly<Record<string, unknown>>;

const exitCodes = `
Exit codes:
  0  the command has succeeded, or the gateway was stopped and all requests have finished
  1  the command has found problems, or its command line is wrong; requests were cut off when the gateway was stopped
  2  start, dev, sql, diff: it cannot start, or its command line is wrong
  3  an uncaught error, which is logged
`;

/**
 * Runs the command of a command line. Implementations are imported only when their command is given: `--help` needs no
 * engine.
 *
 * @param args without the program's own name
 */
export async function runProgram(args: readonly string[]): Promise<void> {
  ignoreClosedPipe();
  // Options without a command, or nothing at all, start the gateway.
  const isBare = args[0] === undefined || /^-(?!h$|-help$|V$|-version$)/.test(args[0]);
  const words = isBare ? ['start', ...args] : helpFirst(args);
  const isStart = startCommands.has(words[0] ?? '');
  try {
    const program = buildProgram(isBare);
    rejectOptionsAsValues(program, words);
    await program.parseAsync(words, { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) {
      // Also thrown for --help and --version, with code 0. Commander has printed its message.
      process.exitCode = error.exitCode === 0 ? exitCode.ok : isStart ? exitCode.badStart : exitCode.problems;
      return;
    }
    if (!(error instanceof StartError || error instanceof GatewayError)) throw error;
    const isShown = error instanceof StartError && (!isStart || words[0] === 'diff');
    process.stderr.write(isShown ? problemsText(error) : `${error.message}\n`);
    process.exit(isStart ? exitCode.badStart : exitCode.problems);
  }
}

function buildProgram(isBare: boolean): Command {
  const program = new Command('querygate')
    .description('Serves a folder of saved BigQuery SQL as a typed GraphQL API and a REST API.')
    .version(packageVersion())
    .usage('[command] [options]')
    .helpCommand('help [command]', 'print the help of a command')
    .addHelpText('after', `\nWithout a command, the gateway is started.\n${exitCodes}`)
    .showHelpAfterError('(--help shows all commands and options)')
    .exitOverride();

  const start = addSettings(program.command('start'), settingNames)
    .description('run the gateway')
    .option('--demo', 'serve the queries and the data of the demo')
    .addOption(new Option('--show-source', 'how dev shows problems').hideHelp())
    .action(async (values: Values) => {
      const { chooseQueries } = await import('./choose-queries.ts');
      const settings = await chooseQueries(settingsOf(values), { demo: values.demo === true, isBare });
      await (await import('./start/start.ts')).start(settings, { showsSource: values.showSource === true });
    });
  addDev(program);
  addSettings(program.command('check'), ['ENGINE', 'QUERIES_DIR'])
    .description('check every saved query without starting the gateway')
    .option('--maximum-bytes <number>', 'the most bytes that a query may read on BigQuery')
    .option('--json', 'print JSON')
    .option('--github', 'print problems as annotations of GitHub Actions, too')
    .option('--sqlfluff', 'only print settings of SQLFluff that fit saved queries')
    .action(async (values: Values) => {
      if (values.sqlfluff === true) {
        process.stdout.write((await import('./problems/sqlfluff-settings.ts')).sqlfluffSettings);
        return;
      }
      const isValid = await (await import('./check.ts')).checkQueries(settingsOf(values), values);
      process.exitCode = isValid ? exitCode.ok : exitCode.problems;
    });
  addAuthoring(program, { addSettings, settingsOf });
  addKeys(program);
  addSettings(program.command('schema'), ['QUERIES_DIR'])
    .description('print the GraphQL schema')
    .action(async (values: Values) => {
      (await import('./print/schema.ts')).printGraphqlSchema(settingsOf(values));
    });
  addSettings(program.command('openapi'), ['QUERIES_DIR'])
    .description('print the REST interface as an OpenAPI document')
    .action(async (values: Values) => {
      (await import('./print/openapi.ts')).printOpenapi(settingsOf(values));
    });
  addSettings(program.command('types'), ['QUERIES_DIR'])
    .description('print TypeScript types for REST and GraphQL')
    .action(async (values: Values) => {
      (await import('./print/types.ts')).printTypes(settingsOf(values));
    });
  addSettings(program.command('compile <query>'), ['ENGINE', 'QUERIES_DIR'])
    .description('print the SQL that the engine runs for a saved query, given by name or UUID')
    .action(async (query: string, values: Values) => {
      await (await import('./compile.ts')).printCompiled(settingsOf(values), query);
    });
  addSql(program);
  addSettings(program.command('config'), [])
    .description('print the settings in force, and where each comes from; secrets are hidden')
    .option('--json', 'print JSON')
    .action(async (values: Values) => {
      (await import('./show-config.ts')).showConfig(settingsOf(values), values);
    });
  addSettings(program.command('health'), ['HOST', 'PORT'])
    .description('check that a running gateway answers, for the health check of a container')
    .action(async (values: Values) => {
      const isHealthy = await (await import('./health.ts')).checkHealth(settingsOf(values));
      process.exitCode = isHealthy ? exitCode.ok : exitCode.problems;
    });
  start.addHelpText(
    'after',
    `\nAn option has precedence over the variable of the environment, this over the key in ${defaultConfigFile}:\n--data-dir, DATA_DIR and data_dir are the same setting.`,
  );
  return program;
}

function addDev(program: Command): void {
  addSettings(program.command('dev'), [])
    .description(
      'run the gateway, show problems of saved queries here, and restart it when the settings change',
    )
    .option('--demo', 'serve the queries and the data of the demo')
    .action(async (values: Values, command: Command) => {
      const { chooseQueries } = await import('./choose-queries.ts');
      const choice = { demo: values.demo === true, isBare: false };
      const load = () => chooseQueries(settingsOf(values), choice);
      const { dev } = await import('./dev.ts');
      await dev({
        args: command.parent?.args.slice(1) ?? [],
        settings: await load(),
        loadSettings: load,
        configFile: values.config as string | undefined,
      });
    });
}

function addSql(program: Command): void {
  addSettings(program.command('sql [statement...]'), ['DATA_DIR', 'QUERIES_DIR'])
    .description('run BigQuery SQL, statements or files of them, on the local data')
    .option('--file <file>', 'a file of statements; may be repeated', collect)
    .option(
      '-p, --parameter <name=value>',
      'the value of @name, or name:TYPE=value; may be repeated',
      collect,
    )
    .option('--json', 'print one line of JSON for each statement, for programs')
    .option('--explain', "show DuckDB's SQL, and what each pass did, instead of running")
    .addOption(new Option('--timeout <duration>', 'the longest time of one statement').default('10s'))
    .option('--max-rows <number>', 'how many rows are read; default: 100 in tables, all in JSON')
    .addHelpText('after', sqlUsage)
    .action(async (given: string[], values: Values & SqlFlags) => {
      const succeeded = await (await import('./sql.ts')).runSql(settingsOf(values), given, values);
      process.exitCode = succeeded ? exitCode.ok : exitCode.problems;
    });
}

function addKeys(program: Command): void {
  const keys = program
    .command('keys')
    .description('manage the key file that API_KEYS_FILE names')
    .helpCommand('help [command]', 'print the help of a command');
  const settings = ['API_KEYS_FILE', 'QUERIES_DIR'] as const;
  const load = () => import('./manage-keys.ts');
  addSettings(keys.command('create'), settings)
    .description('add a key, and print it')
    .option('--name <text>', 'whose key it is')
    .option('--tenant <name>', 'a tenant whose rows it may read; may be repeated', collect)
    .addOption(new Option('--project <name>', 'the former name of --tenant').argParser(collect).hideHelp())
    .option('--endpoint <name or UUID>', 'an endpoint that it may query; may be repeated', collect)
    .option('--permission <name>', 'fresh, catalog, metrics or sql; may be repeated', collect)
    .option('--expires <time>', 'when it expires: 90d, 2027-01-31T00:00:00Z, or never')
    .option('--allow <address or range>', 'from where it may be used; may be repeated', collect)
    .option('--requests-per-minute <number>', 'its rate')
    .option('--concurrent-queries <number>', 'how many of its queries run at once')
    .action(async (values: Values) => (await load()).createCommand(settingsOf(values), values));
  addSettings(keys.command('list'), settings)
    .description('print all keys of the file, without their text')
    .action(async (values: Values) => (await load()).listCommand(settingsOf(values)));
  addSettings(keys.command('revoke <id>'), settings)
    .description('make a key invalid from now on')
    .action(async (id: string, values: Values) => (await load()).revokeCommand(settingsOf(values), id));
  addSettings(keys.command('roll <id>'), settings)
    .description('add a key with the same permissions and limits, and let the old one expire')
    .addOption(new Option('--overlap <time>', 'how long the old key remains valid').default('24h'))
    .option('--expires <time>', 'when the new key expires: 90d, or 2027-01-31T00:00:00Z')
    .action(async (id: string, values: Values) =>
      (await load()).rollCommand(settingsOf(values), id, {
        overlap: String(values.overlap),
        ...(typeof values.expires === 'string' && { expires: values.expires }),
      }),
    );
}

/** Adds an option for every setting; the help shows those that matter to the command. */
function addSettings(command: Command, shown: readonly SettingName[]): Command {
  command.option('--config <file>', `file of settings (default: ${defaultConfigFile}, if it exists)`);
  for (const name of settingNames) {
    // This default depends on the machine.
    const byDefault = name === 'DUCKDB_THREADS' ? 'the number of cores' : settingDefault(name);
    const meaning = `${settingMeanings[name]}${byDefault === undefined ? '' : ` (default: ${byDefault})`}`;
    const option = new Option(`--${flagOfSetting(name)} <value>`, meaning);
    command.addOption(shown.includes(name) ? option : option.hideHelp());
  }
  if (shown.length < settingNames.length) {
    command.addHelpText('after', '\nEvery setting is an option here too: querygate start --help lists them.');
  }
  return command;
}

function settingsOf(values: Values): LoadedSettings {
  const flags: FlagSettings = Object.fromEntries(
    settingNames.flatMap((name) => {
      const value = values[new Option(`--${flagOfSetting(name)}`).attributeName()];
      return typeof value === 'string' ? [[name, value]] : [];
    }),
  );
  return loadSettings(process.env, flags, values.config as string | undefined);
}

const collect = (value: string, before: readonly string[] | undefined) => [...(before ?? []), value];

/** `--help` wins wherever it is, also in the place of an option's value. */
function helpFirst(args: readonly string[]): readonly string[] {
  if (!args.includes('--help')) return args;
  const firstOption = args.findIndex((arg) => arg.startsWith('-'));
  return [...args.slice(0, firstOption), '--help'];
}

/** `--name --project a` lacks a name: an option is hardly meant as the value of another. `--name=--project` is. */
function rejectOptionsAsValues(program: Command, args: readonly string[]): void {
  const commands = [program, ...program.commands, ...program.commands.flatMap(({ commands }) => commands)];
  const options = commands.flatMap((command) => command.options);
  for (const [at, arg] of args.entries()) {
    const option = options.find(({ long, required }) => required && long === arg);
    const next = args[at + 1];
    if (option === undefined || next === undefined || !next.startsWith('--')) continue;
    program.error(`error: option '${option.flags}' argument missing: got the option ${next}`);
  }
}

/** The reader of `querygate config | head` has seen enough; a full disk is reported. */
function ignoreClosedPipe(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') return;
    // A gateway goes on: only its banner is lost.
    process.stderr.write(`standard output cannot be written: ${error.message}\n`);
    process.exitCode = exitCode.problems;
  });
}
