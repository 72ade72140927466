import type { SettingName } from '../../config/settings.ts';

/** Options that messages of the library name, and the settings they come from. */
const settingOf: Readonly<Record<string, SettingName>> = {
  dataDir: 'DATA_DIR',
  storeFile: 'STORE_FILE',
  memoryLimit: 'DUCKDB_MEMORY_LIMIT',
  extensionsDir: 'DUCKDB_EXTENSIONS',
  'quack.url': 'ENGINE',
  url: 'ENGINE',
  'quack.token': 'QUACK_TOKEN',
  'redis.url': 'CACHE_URL',
  'redis.secret': 'CACHE_SECRET',
};

/** At the start of a line, where no other problem has them, or with what they belong to. */
const names =
  /(?<=^ *)(?:(?:dataDir|storeFile|memoryLimit|extensionsDir)(?=: )|url(?=: must be the address of a server,))|\b(?:quack\.(?:url|token)|redis\.(?:url|secret))\b/gm;

/** The user and the password of a URL, or of a path that was made of one. They end at the last @, if there is a password. */
const credentials = /(?<=\b[a-z][a-z\d+.-]+:\/+)(?:[^\s"/:@]*:[^\s"]*|[^\s"/]*)@/gi;

/** A message of the library in the words of the command line, whose users set variables, not options; without passwords. */
export const nameSettings = (text: string): string =>
  text.replace(names, (name) => settingOf[name] ?? name).replace(credentials, '(hidden)@');
