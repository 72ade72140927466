import { existsSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';

/** Where the catalog of a lake is: a file of DuckDB, or a database that is reached through another extension. */
export interface LakeLocation {
  /** The file of DuckDB; undefined for a database. */
  readonly file: string | undefined;
  /** The address that DuckDB attaches, without `ducklake:`. */
  readonly target: string;
  /** The extension that reaches the database. */
  readonly extension: 'postgres_scanner' | 'sqlite_scanner' | undefined;
}

const extensions = { postgres: 'postgres_scanner', sqlite: 'sqlite_scanner' } as const;

/** The lake that a data folder names, as in `ducklake:lake.ducklake` and `ducklake:postgres:dbname=lake`; undefined for another one. */
export function parseLake(dataDir: string): LakeLocation | undefined {
  const [, kind, rest] = /^ducklake:(?:(postgres|sqlite):)?(.+)$/s.exec(dataDir) ?? [];
  if (rest === undefined) return undefined;
  const extension = kind === 'postgres' || kind === 'sqlite' ? extensions[kind] : undefined;
  if (extension !== undefined) return { file: undefined, target: `${kind}:${rest}`, extension };
  const file = resolve(rest);
  return { file, target: file, extension };
}

/** The folder of a lake's files: a relative one is beside the file of the catalog, or in the working directory. */
export function absoluteDataPath({ file }: LakeLocation, dataPath: string): string {
  if (isAbsolute(dataPath) || dataPath.includes('://')) return dataPath;
  const beside = file && join(dirname(file), dataPath);
  return beside && existsSync(beside) ? beside : resolve(dataPath);
}
