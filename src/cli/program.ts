import { Command, CommanderError } from 'commander';
import { problemsText } from '../problems/print-problems.ts';
import { commandFailure } from '../author/command-failure.ts';
import { settingNames } from '../config/settings.ts';
import { StartError } from '../errors.ts';
import { exitCode } from '../exit-code.ts';
import { packageVersion } from '../version.ts';
import { isMissing } from './authoring.ts';
import { addCommand, type CliCommand, type CommandGroup } from './command.ts';
import { check } from './commands/check.ts';
import { compile } from './commands/print/compile.ts';
import { config } from './commands/config.ts';
import { costs } from './commands/costs.ts';
import { dev } from './commands/dev.ts';
import { diff } from './commands/diff.ts';
import { exposures } from './commands/exposures.ts';
import { health } from './commands/health.ts';
import { keys } from './commands/keys.ts';
import { lsp } from './commands/lsp.ts';
import { mcp } from './commands/mcp.ts';
import { newCommand } from './commands/new.ts';
import { openapi } from './commands/print/openapi.ts';
import { schema } from './commands/print/schema.ts';
import { sql } from './commands/sql.ts';
import { start } from './commands/start.ts';
import { tables } from './commands/tables.ts';
import { test } from './commands/test.ts';
import { types } from './commands/print/types.ts';
import { nameSettings } from './settings/name-settings.ts';
import { flagOfSetting } from './settings/setting-keys.ts';

/** Every command, in the order of the help. */
export const commands: readonly (CliCommand | CommandGroup)[] = [
  start,
  dev,
  check,
  newCommand,
  tables,
  test,
  diff,
  exposures,
  keys,
  costs,
  schema,
  openapi,
  types,
  compile,
  sql,
  mcp,
  lsp,
  config,
  health,
];

const exitCodes = `
Exit codes:
  0  the command has succeeded, or the gateway was stopped and all requests have finished
  1  the command has found problems, or its command line is wrong; requests were cut off when the gateway was stopped
  2  start, dev, sql, mcp, diff: it cannot start, or its command line is wrong
  3  an uncaught error, which is logged
`;

/**
 * Runs the command of a command line.
 *
 * @param args without the program's own name
 */
export async function runProgram(args: readonly string[]): Promise<void> {
  ignoreClosedPipe();
  // Options without a command, or nothing at all, start the gateway.
  const isBare = args[0] === undefined || /^-(?!h$|-help$|V$|-version$)/.test(args[0]);
  const words = isBare ? ['start', ...args] : helpFirst(args).map(args[0] === 'sql' ? notOption : String);
  const command = commands.find((one) => 'usage' in one && one.usage.split(' ')[0] === words[0]) as
    | CliCommand
    | undefined;
  const failure = command?.hasBadStart ? exitCode.badStart : exitCode.problems;
  try {
    const program = buildProgram(isBare);
    rejectOptionsAsValues(program, words);
    await program.parseAsync(words, { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) {
      // Also thrown for --help and --version, with code 0. Commander has printed its message.
      process.exitCode = error.exitCode === 0 ? exitCode.ok : failure;
      return;
    }
    const known = commandFailure(error);
    if (known === undefined) {
      process.once('exit', () => {
        process.exitCode = exitCode.bug;
      });
      throw error;
    }
    const isShown = known instanceof StartError && (command?.hasBadStart !== true || command === diff);
    process.stderr.write(nameSettings(isShown ? problemsText(known) : `${known.message}\n`));
    process.exit(failure);
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
  for (const one of commands) {
    if ('usage' in one) addCommand(program, one, isBare);
    else {
      const group = program
        .command(one.name, { hidden: isMissing(one) })
        .description(one.description)
        .helpCommand('help [command]', 'print the help of a command');
      for (const member of one.commands) addCommand(group, member, isBare);
    }
  }
  return program;
}

/** A statement that begins with a comment begins with a blank: with `--` it would be an option. Values may have lines too. */
function notOption(arg: string): string {
  const given = ['--config', ...settingFlags, ...(sql.options ?? []).map(({ long }) => long)];
  const isOption = given.some((flag) => arg.startsWith(`${flag}=`));
  return !isOption && /^--(?:(?![\w-]+=).*\s|.*\n\s*\S)/s.test(arg) ? ` ${arg}` : arg;
}

const settingFlags = settingNames.map((name) => `--${flagOfSetting(name)}`);

/** `--help` wins wherever it is, also in the place of an option's value. */
function helpFirst(args: readonly string[]): readonly string[] {
  if (!args.includes('--help')) return args;
  const firstOption = args.findIndex((arg) => arg.startsWith('-'));
  return [...args.slice(0, firstOption), '--help'];
}

/** `--name --tenant a` lacks a name: an option is hardly meant as the value of another. `--name=--tenant` is. */
function rejectOptionsAsValues(program: Command, args: readonly string[]): void {
  const named = program.commands.filter((command) => command.name() === args[0]);
  const commands = [program, ...named, ...named.flatMap(({ commands }) => commands)];
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
