import type { SettingName } from '../../config/settings.ts';

const hidden = '(hidden)';

/** Names of secrets end like this. A name that ends in _FILE or _URL says where one is. */
const secretName = /(^|_)(KEY|SECRET|SECRETS|PASSWORD|TOKEN|CREDENTIALS)$/;

/** A value as it may be printed: secrets are hidden, also those inside a URL. */
export function hideSecret(name: SettingName, value: string): string {
  if (secretName.test(name)) return hidden;
  const url = URL.parse(value);
  if (url === null || !value.includes('://')) return name.endsWith('_URL') ? hidden : value;
  // The user, the password and the query string of a URL may all be credentials.
  if (url.username === '' && url.password === '' && url.search === '') return value;
  const credentials = url.username === '' && url.password === '' ? '' : `${hidden}@`;
  return `${url.protocol}//${credentials}${url.host}${url.pathname}${url.search === '' ? '' : `?${hidden}`}`;
}
