import { nearestName } from '@querygate/text';
import { isProduction } from '../../config.ts';
import { type SettingName, type SettingValues, settingNames } from '../../config/settings.ts';
import { formerRights } from '../../config/former-settings.ts';
import { defaultConfigFile, readConfigFile, unreadConfigFile } from './config-file.ts';
import { misspeltSettings } from './misspelt-settings.ts';
import { flagOfSetting } from './setting-keys.ts';

/** The settings in force: the command line's, then the environment's, then the file's. */
export interface LoadedSettings {
  readonly values: SettingValues;
  /** Where a value comes from, for people: `--port`, `PORT` or `querygate.yaml:3`; undefined for a default. */
  originOf(name: SettingName): string | undefined;
  /** How a message names a setting: by its variable, and where it was set if that was not the environment. */
  label(name: string): string;
  /** Warnings about variables, and a file, that are not read: probably misspelt settings, and former ones. */
  readonly misspelt: readonly string[];
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Loads the settings of all sources. An empty value counts as not set, so that the next source decides.
 *
 * @param flags those of the command line
 * @param configFile as `--config` names it
 * @throws StartError if the file cannot be read, or has keys that are not settings
 */
export function loadSettings(env: Environment, flags: SettingValues, configFile?: string): LoadedSettings {
  const named = configFile ?? (env.QUERYGATE_CONFIG || undefined);
  const file = readConfigFile(named);
  // `readConfig` refuses former settings that gave rights.
  const values: Partial<Record<string, string>> = Object.fromEntries(
    formerRights.flatMap((name) => (env[name] ? [[name, env[name]]] : [])),
  );
  const origins = new Map<string, string>();
  for (const name of settingNames) {
    const fromFile = file.get(name);
    const sources = [
      { text: flags[name], origin: `--${flagOfSetting(name)}` },
      { text: env[name], origin: name },
      { text: fromFile?.text, origin: `${named ?? defaultConfigFile}:${fromFile?.line}` },
    ];
    const set = sources.find(({ text }) => text !== undefined && text !== '');
    if (set?.text === undefined) continue;
    values[name] = set.text;
    origins.set(name, set.origin);
  }
  const label = (name: string) => {
    const origin = origins.get(name);
    return origin === undefined || origin === name ? name : `${name} (${origin})`;
  };
  return {
    values,
    misspelt: [
      ...misspeltSettings(env),
      ...nearlyProduction(values.NODE_ENV, label('NODE_ENV')),
      ...withoutEffect(values),
      ...(named === undefined ? unreadConfigFile() : []),
    ],
    originOf: (name) => origins.get(name),
    label,
  };
}

function nearlyProduction(mode: string | undefined, label: string): readonly string[] {
  if (mode === undefined || isProduction(mode)) return [];
  const isNearly = /^prod/i.test(mode) || nearestName(mode.toLowerCase(), ['production'], 2) !== undefined;
  return isNearly ? [`${label}: got ${JSON.stringify(mode)}; did you mean production?`] : [];
}

/** Warnings about settings of what another one turns off. */
function withoutEffect({
  EMBED_ORIGINS: embeds,
  NODE_ENV: environment,
  PAGES: pages,
}: Partial<Record<string, string>>): readonly string[] {
  const isOff = pages === 'off' || (pages === undefined && isProduction(environment));
  return embeds !== undefined && isOff
    ? ['EMBED_ORIGINS has no effect, because pages are off; PAGES=on turns them on']
    : [];
}
