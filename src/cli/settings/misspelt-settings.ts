import { nearestName } from '@querygate/text';
import { type SettingName, settingNames } from '../../config/settings.ts';
import { formerRights, formerSetting } from '../../config/former-settings.ts';

/** Variables of other programs whose names are nearly ours. */
const foreign = new Set(['APP_KEY', 'PAGER', 'HOSTNAME']);

/** Our own that is not a setting, and what Kubernetes sets where a service is named querygate. */
const others = /^QUERYGATE_(?:CONFIG$|SERVICE_|PORT_\d)/;

/** The value that it gives QUERYGATE_PORT. */
const linked = /^(?:tcp|udp|sctp):\/\//;

const prefix = /^QUERYGATE_/i;

/** Shorter names differ from common ones by a letter only: PORT and POST, PAGES and PAGER. */
const minLength = 6;

/** Names that differ in case, underscores and hyphens only are one. */
const plain = (name: string) => name.replaceAll(/[-_]/g, '').toUpperCase();

const settingOf = new Map(settingNames.map((name) => [plain(name), name]));

/**
 * Warnings about variables of an environment that are probably meant to be settings: `DATADIR`, `QUERYGATE_PORT`,
 * `API_KEY_FILE`; and about former settings, but not those for which the start is refused. Those of other programs are
 * not spoken of.
 */
export function misspeltSettings(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  return Object.entries(env).flatMap(([name, value]) => {
    if (!value || linked.test(value) || others.test(name)) return [];
    if (foreign.has(name) || settingNames.some((one) => one === name)) return [];
    const former = formerSetting(name, value);
    if (former !== undefined) return formerRights.includes(name) ? [] : [`${name} ${former}`];
    const meant =
      meantBy(name.replace(prefix, '')) ?? (isOfRedis(name, value, env) ? 'CACHE_URL' : undefined);
    if (meant !== undefined) return [`${name} is not a setting; did you mean ${meant}?`];
    return prefix.test(name) ? [`${name} is not a setting; querygate config prints all`] : [];
  });
}

function meantBy(name: string): SettingName | undefined {
  const same = settingOf.get(plain(name));
  if (same !== undefined) return same;
  // Variables of systems and programs in lowercase are not ours.
  if (name.length < minLength || name !== name.toUpperCase()) return undefined;
  // Often without its unit.
  const [longer, another] = settingNames.filter((one) => one.startsWith(`${name}_`));
  if (longer !== undefined && another === undefined && name.includes('_')) return longer;
  const similar = sameWords(name);
  if (similar !== undefined) return similar;
  const most = Math.min(2, Math.floor(name.length / 5));
  const nearest = nearestName(
    name,
    settingNames.filter((one) => one.length >= minLength),
    most,
  );
  return nearest as SettingName | undefined;
}

/** Other programs read it too, but only one that needs a Redis is given its URL. */
const isOfRedis = (name: string, value: string, env: Readonly<Record<string, string | undefined>>): boolean =>
  /^(?:REDIS|VALKEY)_UR[LI]$/.test(name) && /^rediss?:/.test(value) && !env.CACHE_URL;

/** Words that people write for those of settings, in another number or form. */
const synonyms: readonly (readonly [written: RegExp, ours: string])[] = [
  [/QUERIES/g, 'QUERY'],
  [/PROXIES/g, 'PROXY'],
  [/FOLDERS?|DIRECTORY|DIRECTORIES/g, 'DIR'],
  [/TRUSTED/g, 'TRUST'],
  [/TIMEZONE/g, 'TIME_ZONE'],
  [/\bMAX\b/g, 'MAXIMUM'],
  [/\bMEM\b/g, 'MEMORY'],
  [/\bBQ\b/g, 'BIGQUERY'],
  [/\bALLOW(?:ED)?\b/g, ''],
];

/** The words of a name in one form: QUERIES_DIR and QUERY_FOLDER have the same. */
function wordsOf(name: string): readonly string[] {
  const words = name.replaceAll(/[-_]/g, ' ');
  const ours = synonyms.reduce((text, [written, word]) => text.replace(written, word), words);
  return ours.split(/[ _]+/).flatMap((word) => (word === '' ? [] : word.replace(/(?<=[^S]{3})S$/, '')));
}

/** The only setting with the words of a name, or that ends in three of them or more. */
function sameWords(name: string): SettingName | undefined {
  const words = wordsOf(name);
  const joined = words.join('');
  const same = settingNames.filter((one) => one.includes('_') && wordsOf(one).join('') === joined);
  const ends = settingNames.filter(
    (one) =>
      words.length > 2 &&
      wordsOf(one)
        .join('_')
        .endsWith(`_${words.join('_')}`),
  );
  const [meant, another] = same.length > 0 ? same : ends;
  return another === undefined ? meant : undefined;
}
