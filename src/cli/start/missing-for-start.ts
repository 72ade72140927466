import type { Config } from '../../config.ts';
import { type Problem, StartError } from '../../errors.ts';

/** @param misspelt may be why something is missing. @throws StartError if it is */
export function requireNothingMissing(problems: readonly Problem[], misspelt: readonly string[]): void {
  if (problems.length === 0) return;
  throw new StartError('The gateway cannot start', [
    ...problems,
    ...misspelt.map((message) => ({ message })),
  ]);
}

/** Rows of the demo in place of the operator's own would look like an answer. */
export function missingData({ engine, demo, duckdb }: Config): readonly Problem[] {
  if (engine !== 'duckdb' || duckdb.dataDir !== undefined || demo) return [];
  return [
    {
      message:
        'DATA_DIR: is missing; it is the folder of your data files. For the rows of the demo, which a start in production does not make by itself, set DATA_DIR=:demo:',
    },
  ];
}

/** A key that a start makes is without limits, and printed: it is for one machine, not for a log that others read. */
export function missingKey({
  isDevelopment,
  production,
  apiKey,
  apiKeysFile,
  jwt,
}: Config): readonly Problem[] {
  if (isDevelopment || apiKey !== undefined || apiKeysFile !== undefined || jwt !== undefined) return [];
  const where = production ? 'in production' : 'where HOST can be reached from other machines';
  return [
    {
      message: `API_KEY: is missing; ${where} no key is made at start. Set API_KEY to the output of openssl rand -hex 32, or API_KEYS_FILE to a file in which querygate keys create makes keys, or JWT_JWKS_URL, JWT_PUBLIC_KEY or JWT_SECRET`,
    },
  ];
}
