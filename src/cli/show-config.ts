import { readConfig, type SettingName, settingDefault, settingNames } from '../config.ts';
import { hideSecret } from './settings/hide-secret.ts';
import type { LoadedSettings } from './settings/load-settings.ts';
import { keyOfSetting } from './settings/setting-keys.ts';

interface ShownSetting {
  readonly value: string | null;
  readonly origin: string;
}

/** `querygate config`: prints the settings in force and where each comes from. @throws StartError if one is invalid */
export function showConfig(loaded: LoadedSettings, { json = false }: { readonly json?: boolean }): void {
  const settings = inForce(loaded);
  if (json) return void process.stdout.write(`${JSON.stringify(Object.fromEntries(settings), null, 2)}\n`);
  const rows = settings.map(([key, { value, origin }]) => [key, value ?? '', origin]);
  const widths = [0, 1].map((at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  for (const row of rows) {
    const cells = row.map((cell, at) => cell.padEnd(widths[at] ?? 0));
    process.stdout.write(`${cells.join('  ').trimEnd()}\n`);
  }
}

function inForce({ values, originOf, label }: LoadedSettings): readonly (readonly [string, ShownSetting])[] {
  const config = readConfig(values, label);
  /** Defaults that depend on other settings. */
  const dependent: Readonly<Partial<Record<SettingName, string>>> = {
    STORE_FILE: config.duckdb.storeFile,
    GRAPHIQL: config.graphiql ? 'on' : 'off',
    PAGES: config.pages ? 'on' : 'off',
    GRAPHQL_INTROSPECTION: config.introspection ? 'on' : 'off',
  };
  return settingNames.map((name) => {
    const value = values[name] ?? dependent[name] ?? settingDefault(name);
    const origin = originOf(name) ?? (value === undefined ? 'not set' : 'default');
    return [keyOfSetting(name), { value: value === undefined ? null : hideSecret(name, value), origin }];
  });
}
