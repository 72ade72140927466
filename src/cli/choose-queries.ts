import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { isProduction } from '../config.ts';
import { StartError } from '../errors.ts';
import { demoData, type SettingName, type SettingValues } from '../config/settings.ts';
import { demoQueriesDir } from '../package-files.ts';
import type { LoadedSettings } from './settings/load-settings.ts';
import { flagOfSetting } from './settings/setting-keys.ts';

interface QueriesChoice {
  /** The demo's queries and data are used, whatever folder there is. */
  readonly demo: boolean;
  /** The command was `querygate` alone: the demo is offered to people who try it, but not in production. */
  readonly isBare: boolean;
}

const defaultFolder = 'queries';

/**
 * The settings with the folder of saved queries decided: the configured one, `queries` of the working directory, or the
 * demo of the package.
 *
 * @throws StartError if there is no folder and the demo is not chosen
 */
export async function chooseQueries(
  settings: LoadedSettings,
  { demo, isBare }: QueriesChoice,
): Promise<LoadedSettings> {
  const { values } = settings;
  const withDemo = { ...settings, values: { ...values, ...demoSettings(settings) } };
  if (demo) return withDemo;
  if (values.QUERIES_DIR !== undefined || existsSync(defaultFolder)) return settings;
  if (isBare && !isProduction(values.NODE_ENV) && (await isDemoAccepted())) return withDemo;
  throw new StartError('There are no saved queries', [
    {
      message: `there is no folder ${defaultFolder} here, and QUERIES_DIR is not set; querygate start --demo runs the demo`,
    },
    ...settings.misspelt.map((message) => ({ message })),
  ]);
}

/** The demo has other data only if the command line says so: the variables and the file are those of other queries. */
function demoSettings({ values, originOf }: LoadedSettings): SettingValues {
  const isGiven = (name: SettingName) => originOf(name) === `--${flagOfSetting(name)}`;
  const { DATA_DIR: ownData = demoData } = values;
  const dataDir = isGiven('DATA_DIR') ? ownData : demoData;
  return {
    QUERIES_DIR: demoQueriesDir,
    DATA_DIR: dataDir,
    ...(isGiven('ENGINE') ? {} : { ENGINE: 'duckdb' }),
    // The rows of the demo would replace those in its store.
    ...(dataDir === ownData || isGiven('STORE_FILE') ? {} : { STORE_FILE: '' }),
  };
}

async function isDemoAccepted(): Promise<boolean> {
  const situation = `There is no folder ${defaultFolder} here.`;
  if (!process.stdin.isTTY || !process.stderr.isTTY) {
    process.stderr.write(`${situation} This is the demo: its queries are in ${demoQueriesDir}\n`);
    return true;
  }
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await terminal.question(`${situation} Run the demo? [Y/n] `);
  terminal.close();
  return /^\s*(y(es)?)?\s*$/i.test(answer);
}
