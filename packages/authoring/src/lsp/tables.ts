import { join } from 'node:path';
import type { TableSchema } from '@querygate/bigquery-sql/table-schema';
import { loadTables, tablesFolder } from 'querygate/catalog';
import { versionOfFolder } from './folder-version.ts';

/** The tables beside saved queries, as their files are now. */
export interface Tables {
  /** @param queriesDir the folder of the queries */
  of(queriesDir: string): readonly TableSchema[];
}

/** Reads the files of a folder again only if one has changed. */
export function openTables(): Tables {
  const known = new Map<string, { readonly version: string; readonly tables: readonly TableSchema[] }>();
  return {
    of(queriesDir) {
      const folder = join(queriesDir, tablesFolder);
      const version = versionOfFolder(folder);
      const before = known.get(folder);
      if (before?.version === version) return before.tables;
      const { tables } = loadTables(folder);
      known.set(folder, { version, tables });
      return tables;
    },
  };
}
