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

/**
 * The user and the password of a URL, or of a path that was made of one. They end at the last @, if there is a password. No port
 * of an address is one, nor those of the URL that messages have as an example.
 */
const credentials =
  /(?<=\b[a-z][a-z\d+.-]+:\/{1,3})(?!user:password@|(?:localhost|\d+\.[\d.]+):\d+\/)(?:[^\s"/:@]*:[^\s"]*|[^\s"/]+)@/gi;

/** All lines but those of files, which are below problems: they stay as their author has written them. */
const ownLines = /^(?! *\d* \| ).+/gm;

/** A message of the library in the words of the command line, whose users set variables, not options; without passwords. */
export const nameSettings = (text: string): string =>
  text.replace(ownLines, (line) =>
    line.replace(names, (name) => settingOf[name] ?? name).replace(credentials, '(hidden)@'),
  );
