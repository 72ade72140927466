import { expect, test } from 'vitest';
import { misspeltSettings } from '../../../src/cli/settings/misspelt-settings.ts';

test.each([
  ['DATADIR', 'DATA_DIR'],
  ['data_dir', 'DATA_DIR'],
  ['Data-Dir', 'DATA_DIR'],
  ['QUERYGATE_DATA_DIR', 'DATA_DIR'],
  ['QUERYGATE_PORT', 'PORT'],
  ['DATA_DRI', 'DATA_DIR'],
  ['APIKEY', 'API_KEY'],
  ['API_KEY_FILE', 'API_KEYS_FILE'],
  ['CORS_ORIGIN', 'CORS_ORIGINS'],
  ['CACHE_URI', 'CACHE_URL'],
  ['ENGINE_TIMEOUT', 'ENGINE_TIMEOUT_MS'],
  ['ENGINE_TIMOUT_MS', 'ENGINE_TIMEOUT_MS'],
  ['BIGQUERY_PROJET', 'BIGQUERY_PROJECT'],
])('%s is probably meant as %s', (name, meant) => {
  expect(misspeltSettings({ [name]: 'x' })).toEqual([`${name} is not a setting; did you mean ${meant}?`]);
});

test.each(['prod', 'Production', 'prodution', 'PROD'])(
  'NODE_ENV=%s is probably meant as production',
  (value) => {
    expect(misspeltSettings({ NODE_ENV: value })).toEqual([
      `NODE_ENV: got "${value}"; did you mean production?`,
    ]);
  },
);

test.each(['production', 'development', 'test', 'staging'])('NODE_ENV=%s is not spoken of', (value) => {
  expect(misspeltSettings({ NODE_ENV: value })).toEqual([]);
});

test('what begins with our name and is similar to nothing is said too', () => {
  expect(misspeltSettings({ QUERYGATE_FLAVOR: 'x' })).toEqual([
    'QUERYGATE_FLAVOR is not a setting; querygate config prints all',
  ]);
});

test('settings, and variables of other programs, are not spoken of', () => {
  const names = `PATH HOME HOSTNAME PWD OLDPWD SHELL SHLVL TERM USER LOGNAME LANG LC_ALL EDITOR PAGER TZ TMPDIR MAIL DISPLAY
    XDG_DATA_DIRS XDG_RUNTIME_DIR SSH_AUTH_SOCK COLORTERM NODE_OPTIONS NODE_PATH npm_config_cache npm_lifecycle_event INIT_CWD
    GOOGLE_APPLICATION_CREDENTIALS GOOGLE_CLOUD_PROJECT AWS_REGION KUBERNETES_SERVICE_HOST KUBERNETES_PORT K_SERVICE
    K_REVISION OTEL_SERVICE_NAME OTEL_EXPORTER_OTLP_ENDPOINT CI GITHUB_TOKEN GITHUB_ACTIONS INVOCATION_ID JOURNAL_STREAM
    NOTIFY_SOCKET STATE_DIRECTORY LISTEN_FDS HTTP_PROXY HTTPS_PROXY NO_PROXY http_proxy DATABASE_URL REDIS_URL SECRET_KEY
    APP_KEY APP_ENV LOG_DIR CACHE_DIR CACHE_TTL DEBUG FORCE_COLOR NO_COLOR LS_COLORS LESSOPEN LD_PRELOAD VIRTUAL_ENV
    DATA_DIR API_KEY PORT HOST NODE_ENV QUERYGATE_CONFIG QUERYGATE_SERVICE_HOST QUERYGATE_PORT_4000_TCP_ADDR`;
  const env = Object.fromEntries(names.split(/\s+/).map((name) => [name, 'x']));
  expect(misspeltSettings({ ...env, QUERYGATE_PORT: 'tcp://10.0.0.1:4000', DATADIR: '' })).toEqual([]);
});
