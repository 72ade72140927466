import { Option } from 'commander';
import type { Config } from '../../config.ts';
import { demoData, type SettingName, settingDefault, settingNames } from '../../config/settings.ts';
import { alignedText } from '../aligned-text.ts';
import type { CliCommand } from '../command.ts';
import { hideSecret } from '../settings/hide-secret.ts';
import type { LoadedSettings } from '../settings/load-settings.ts';
import { keyOfSetting } from '../settings/setting-keys.ts';

export const config: CliCommand<{ readonly json?: boolean }> = {
  usage: 'config',
  description: 'print the settings in force, and where each comes from; secrets are hidden',
  settings: [],
  options: [new Option('--json', 'print JSON')],
  async run({ flags, settings, config }) {
    const loaded = settings();
    printSettings(inForce(loaded, config()), flags.json ?? false);
    for (const warning of loaded.misspelt) process.stderr.write(`${warning}\n`);
  },
};

interface ShownSetting {
  readonly value: string | null;
  readonly origin: string;
}

function printSettings(settings: ReturnType<typeof inForce>, json: boolean): void {
  if (json) return void process.stdout.write(`${JSON.stringify(Object.fromEntries(settings), null, 2)}\n`);
  const rows = settings.map(([key, { value, origin }]) => [key, value ?? '', origin]);
  process.stdout.write(alignedText(rows));
}

function inForce(
  { values, originOf }: LoadedSettings,
  config: Config,
): readonly (readonly [string, ShownSetting])[] {
  /** Defaults that depend on other settings. */
  const dependent: Readonly<Partial<Record<SettingName, string>>> = {
    STORE_FILE: config.duckdb.storeFile,
    SHUTDOWN_DELAY_SECONDS: String(config.shutdownDelaySeconds),
    ...(config.demo && config.engine === 'duckdb' && { DATA_DIR: demoData }),
    PAGES: config.pages ? 'on' : 'off',
    GRAPHQL_INTROSPECTION: config.introspection ? 'on' : 'off',
  };
  return settingNames.map((name) => {
    const value = values[name] ?? dependent[name] ?? settingDefault(name);
    const origin = originOf(name) ?? (value === undefined ? 'not set' : 'default');
    return [keyOfSetting(name), { value: value === undefined ? null : hideSecret(name, value), origin }];
  });
}
