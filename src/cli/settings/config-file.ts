import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type SettingName, settingNames } from '../../config/settings.ts';
import { formerSetting } from '../../config/former-settings.ts';
import { type Problem, StartError } from '../../errors.ts';
import { decodeUtf8, nearestName, NotUtf8 } from '@querygate/text';
import { pathProblem } from '../../files/path-problem.ts';
import { readYaml } from '../../files/read-yaml.ts';
import { settingsByKey } from './setting-keys.ts';

/** The file that is read if it is in the working directory, and no other is named. */
export const defaultConfigFile = 'querygate.yaml';

/** A setting as the file has it, in the form of an environment variable. */
interface FileSetting {
  readonly text: string;
  readonly line: number;
}

export type FileSettings = ReadonlyMap<SettingName, FileSetting>;

/**
 * Reads settings from a YAML file: one key for each variable, in lowercase.
 *
 * @param named the file that the operator named; undefined for the default one, which need not exist
 * @throws StartError with every unknown key, and every value that is not a plain one
 */
export function readConfigFile(named: string | undefined): FileSettings {
  const file = named ?? defaultConfigFile;
  let text: string;
  try {
    text = decodeUtf8(readFileSync(file));
  } catch (error) {
    if (error instanceof NotUtf8) throw fileError([{ file, line: error.line, message: error.message }]);
    const { code } = error as NodeJS.ErrnoException;
    if (named === undefined && code === 'ENOENT') return new Map();
    throw fileError([{ file, message: `cannot be read ${pathProblem(file, error, 'file')}` }]);
  }
  return parseConfigFile(file, text);
}

/** The warning about a file that is nearly named like the default one, which is not there. */
export function unreadConfigFile(folder = '.'): readonly string[] {
  const other = defaultConfigFile.replace(/yaml$/, 'yml');
  return existsSync(join(folder, defaultConfigFile)) || !existsSync(join(folder, other))
    ? []
    : [`${other} is not read; did you mean ${defaultConfigFile}? --config names another file`];
}

export function parseConfigFile(file: string, text: string): FileSettings {
  const yaml = readYaml(text, 'yaml', { numbersAsText: true });
  if ('problems' in yaml) throw fileError(yaml.problems.map((problem) => ({ file, ...problem })));
  const { data, lineOf } = yaml;
  if (data === null || data === undefined) return new Map();
  if (typeof data !== 'object' || Array.isArray(data)) {
    throw fileError([
      {
        file,
        line: 1,
        message: `must be one setting on each line, as in port: 4000, ${Array.isArray(data) ? 'without a dash before it' : 'with a colon and a blank after its name'}`,
      },
    ]);
  }
  const settings = new Map<SettingName, FileSetting>();
  const problems: Problem[] = [];
  for (const [key, value] of Object.entries(data)) {
    const line = lineOf([key]);
    const name = settingsByKey.get(key);
    const plain = plainText(value);
    if (name === undefined) problems.push({ file, line, message: unknownKey(key, plain) });
    else if (plain === undefined)
      problems.push({
        file,
        line,
        message: `${key}: must be one value, or a list of values${Array.isArray(value) ? '' : ', in quotes if it has a colon and a blank'}`,
      });
    else settings.set(name, { text: plain, line });
  }
  if (problems.length > 0) throw fileError(problems);
  return settings;
}

function unknownKey(key: string, value = ''): string {
  const former = formerSetting(key.toUpperCase(), value);
  if (former !== undefined) return `${key}: ${former}`;
  const variable = settingNames.find((name) => name === key);
  const near = variable?.toLowerCase() ?? nearestName(key, settingsByKey.keys());
  return near === undefined
    ? `unknown: ${key}; querygate config prints all keys`
    : `unknown: ${key}; did you mean ${near}?`;
}

/** The value as an environment variable would have it: lists are joined by commas, and YAML's booleans mean on and off. */
function plainText(value: unknown): string | undefined {
  if (value === null) return '';
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  if (typeof value === 'string') return value;
  if (!Array.isArray(value)) return undefined;
  const items = value.map((item: unknown) => (Array.isArray(item) ? undefined : plainText(item)));
  return items.includes(undefined) ? undefined : items.join(',');
}

const fileError = (problems: readonly Problem[]) =>
  new StartError('The configuration has problems', problems);
