import { expect, test } from 'vitest';
import { chooseQueries } from '../../src/cli/choose-queries.ts';
import { loadSettings } from '../../src/cli/settings/load-settings.ts';
import { readConfig } from '../../src/config.ts';
import type { SettingValues } from '../../src/config/settings.ts';

const own = {
  DATA_DIR: 'logs',
  STORE_FILE: 'logs.duckdb',
  ENGINE: 'bigquery',
  BIGQUERY_PROJECT: 'our-project',
  BIGQUERY_DATASET: 'logs',
};

async function demoWith(env: SettingValues, flags: SettingValues) {
  const { values } = await chooseQueries(loadSettings(env, flags), { demo: true, isBare: false });
  return readConfig(values);
}

test('--demo has the data of the demo, whatever variables say', async () => {
  const { engine, demo, duckdb } = await demoWith({ ...own, QUERIES_DIR: 'mine' }, {});
  expect({ engine, demo, duckdb }).toEqual(
    await demoWith({}, {}).then(({ engine, demo, duckdb }) => ({ engine, demo, duckdb })),
  );
  expect(demo).toBe(true);
});

test('--demo has other data, and another engine, if the command line says so', async () => {
  const { DATA_DIR, STORE_FILE, ...onBigquery } = own;
  const { demo, duckdb } = await demoWith({ STORE_FILE }, { DATA_DIR });
  expect([demo, duckdb.dataDir, duckdb.storeFile]).toEqual([false, DATA_DIR, STORE_FILE]);
  expect((await demoWith({}, onBigquery)).engine).toBe('bigquery');
});

test('--demo keeps its rows where a variable says if no data of another kind are there', async () => {
  expect((await demoWith({ STORE_FILE: ':memory:' }, {})).duckdb.storeFile).toBe(':memory:');
  expect((await demoWith(own, { STORE_FILE: ':memory:' })).duckdb.storeFile).toBe(':memory:');
});
