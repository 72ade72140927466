import { type Command, Option } from 'commander';
import { type Config, readConfig } from '../config.ts';
import { type SettingName, settingDefault, settingNames } from '../config/settings.ts';
import { formerNames, formerSetting } from '../config/former-settings.ts';
import { exitCode } from '../exit-code.ts';
import { StartError } from '../errors.ts';
import { isMissing } from './authoring.ts';
import { defaultConfigFile } from './settings/config-file.ts';
import { type LoadedSettings, loadSettings } from './settings/load-settings.ts';
import { settingMeanings } from './settings/meanings.ts';
import { flagOfSetting } from './settings/setting-keys.ts';

/** The command line as its command gets it. */
export interface CommandLine<Flags extends object = object> {
  /** Its arguments in their order, without options. */
  readonly args: readonly string[];
  readonly flags: Flags;
  /** All that follows the name of the command, as it was given. */
  readonly words: readonly string[];
  /** Only options were given, or nothing: the command is the default one. */
  readonly isBare: boolean;
  /** The settings of all sources, as they are now. @throws StartError if a source cannot be read */
  settings(): LoadedSettings;
  /** The same settings, checked. @throws StartError if they are invalid */
  config(): Config;
}

/** A command: its command line, and what it does. Implementations are imported by `run`: `--help` needs no engine. */
export interface CliCommand<Flags extends object = object> {
  /** Its name and its arguments, in commander's notation: `new <name> [file]`. */
  readonly usage: string;
  readonly description: string;
  /** The settings that its help lists. Every setting is an option of every command. */
  readonly settings: readonly SettingName[];
  readonly options?: readonly Option[];
  /** The text of its help after the options. */
  readonly help?: string;
  /** Its exit code is 2 if it cannot begin, because 1 says how it has ended. */
  readonly hasBadStart?: true;
  /** It is of the tools for authors, which are a package of their own: the help shows it only if that is installed. */
  readonly isOfAuthors?: true;
  /** @returns false for the exit code 1: the command has found problems */
  run(line: CommandLine<Flags>): Promise<boolean | undefined>;
}

/** Commands about one thing: `keys create`, `keys list`. */
export interface CommandGroup {
  readonly name: string;
  readonly description: string;
  readonly isOfAuthors?: true;
  readonly commands: readonly CliCommand[];
}

type Values = Readonly<Record<string, unknown>>;

export function addCommand(program: Command, command: CliCommand, isBare: boolean): void {
  const { usage, description, settings: shown, options = [], help } = command;
  const added = program.command(usage, { hidden: isMissing(command) }).description(description);
  const ofGroup = program.parent === null ? '' : `${program.name()} `;
  added.showHelpAfterError(`Usage: querygate ${ofGroup}${usage}\n(--help shows all commands and options)`);
  addSettings(
    added,
    shown,
    options.map(({ long }) => long),
  );
  for (const option of options) added.addOption(option);
  if (shown.length < settingNames.length) {
    added.addHelpText('after', '\nEvery setting is an option here too: querygate start --help lists them.');
  }
  if (help !== undefined) added.addHelpText('after', help);
  added.action(async () => {
    const flags: Values = added.opts();
    const settings = () => settingsOf(flags);
    const config = () => {
      const { values, label } = settings();
      return readConfig(values, label);
    };
    const words = program.args.slice(1);
    const isGood = await command.run({ args: added.args, flags, words, isBare, settings, config });
    if (isGood === false) process.exitCode = exitCode.problems;
  });
}

/** Adds an option for every setting; the help shows some. @param own options of the command, which may have such a name */
function addSettings(command: Command, shown: readonly SettingName[], own: readonly Option['long'][]): void {
  command.option('--config <file>', `file of settings (default: ${defaultConfigFile}, if it exists)`);
  for (const name of settingNames) {
    const byDefault = settingDefault(name);
    const meaning = `${settingMeanings[name]}${byDefault === undefined ? '' : ` (default: ${byDefault})`}`;
    const option = new Option(`--${flagOfSetting(name)} <value>`, meaning);
    if (own.includes(option.long)) continue;
    command.addOption(shown.includes(name) ? option : option.hideHelp());
  }
  for (const name of formerNames) {
    const option = new Option(`--${flagOfSetting(name)} <value>`).hideHelp();
    if (!own.includes(option.long)) command.addOption(option);
  }
}

function settingsOf(flags: Values): LoadedSettings {
  const givenValue = (name: string) => {
    const value = flags[new Option(`--${flagOfSetting(name)}`).attributeName()];
    return typeof value === 'string' ? value : undefined;
  };
  const given = Object.fromEntries(settingNames.map((name) => [name, givenValue(name)]));
  const former = formerNames.flatMap((name) => {
    const value = givenValue(name);
    return value === undefined
      ? []
      : [{ message: `--${flagOfSetting(name)}: ${formerSetting(name, value)}` }];
  });
  if (former.length > 0) throw new StartError('The configuration has problems', former);
  return loadSettings(process.env, given, flags.config as string | undefined);
}

/** An option that may be repeated. */
export const repeated = (flags: string, description: string): Option =>
  new Option(flags, description).argParser<readonly string[]>((value, before) => [...(before ?? []), value]);
