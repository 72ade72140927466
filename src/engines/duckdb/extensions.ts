import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { quoteText } from '@querygate/bigquery-sql/tree';
import { StartError } from '../../errors.ts';
import { pathProblem } from '../../files/path-problem.ts';

/** An extension of DuckDB that is not linked into it. */
export type Extension = 'httpfs' | 'aws' | 'ducklake' | 'postgres_scanner' | 'sqlite_scanner' | 'quack';

/**
 * Loads extensions in this order from files, which DuckDB's makers must have signed: nothing is ever downloaded. It has to be
 * done before the configuration is locked, once for all connections of a database.
 *
 * @param folder where `<name>.duckdb_extension` of each is, or in folders below it, as pip and DuckDB itself make them
 * @param user what cannot work without them, as in `ducklake:`
 * @throws StartError with the file, and how to get the right one
 */
export async function loadExtensions(
  connection: DuckDBConnection,
  folder: string | undefined,
  extensions: readonly Extension[],
  user: string,
): Promise<void> {
  const found = await connection.runAndReadAll(
    'SELECT library_version, (SELECT platform FROM pragma_platform()) FROM pragma_version()',
  );
  const [version = '', platform = ''] = (found.getRowsJS()[0] ?? []).map(String);
  for (const extension of extensions) {
    const fail = (problem: string) => {
      const folderText = folder ?? 'extensions';
      const wheel = `duckdb-extension-${extension.replaceAll('_', '-')}==${version.slice(1)}`;
      const cure = `it must be signed, and of DuckDB ${version} for ${platform}: pip install --no-deps --target ${folderText} ${wheel}`;
      return new StartError('An extension of DuckDB cannot be loaded', [
        { message: `extensionsDir: ${problem}, and ${user} needs ${fileOf(extension)}; ${cure}` },
      ]);
    };
    if (folder === undefined) throw fail('is not set');
    const file = findFile(folder, extension, version, fail);
    try {
      await connection.run(`LOAD ${quoteText(file)}`);
    } catch (error) {
      throw fail(`${JSON.stringify(file)} ${reasonOf(error)}`);
    }
  }
}

const fileOf = (extension: Extension) => `${extension}.duckdb_extension`;

/** Of several files, the one in a folder that is named after the version. */
function findFile(
  folder: string,
  extension: Extension,
  version: string,
  fail: (problem: string) => StartError,
): string {
  const name = fileOf(extension);
  try {
    const found = readdirSync(folder, { withFileTypes: true, recursive: true })
      .filter((entry) => entry.name === name && !entry.isDirectory())
      .map((entry) => join(entry.parentPath, entry.name))
      .sort();
    const file = found.find((path) => path.split(/[\\/]/).includes(version)) ?? found[0];
    if (file !== undefined) return file;
  } catch (error) {
    throw fail(`got ${JSON.stringify(folder)}, which cannot be read ${pathProblem(folder, error, 'folder')}`);
  }
  throw fail(`got ${JSON.stringify(folder)}, which has no such file`);
}

function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  const version = /DuckDB version '([^']+)' and can only/.exec(text)?.[1];
  if (version !== undefined) return `is of DuckDB ${version}`;
  const platform = /built for the platform '([^']+)'/.exec(text)?.[1];
  if (platform !== undefined) return `is for ${platform}`;
  if (/signature/.test(text)) return 'has been changed, or is not signed by the makers of DuckDB';
  if (/not a DuckDB extension/.test(text)) return 'is only a part of an extension, or none';
  return `cannot be loaded: ${text.split('\n', 1)[0]}`;
}
