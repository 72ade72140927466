import { sessionSettings } from '../../dialect/macros/macros.ts';
import type { CheckOptions } from '../../engine.ts';
import { createTable } from '../store/create-table.ts';
import { openDatabase } from '../store/open-database.ts';
import { prepareCatalog } from './prepare-catalog.ts';

/**
 * Checks that DuckDB can run every query of the catalog, without any data.
 *
 * @throws StartError with every problem, as opening the engine would
 */
export async function checkQueries({ catalog, config }: CheckOptions): Promise<void> {
  const instance = await openDatabase(config);
  try {
    const connection = await instance.connect();
    await connection.run(sessionSettings.join(';'));
    for (const table of catalog.tables) await createTable(connection, table);
    await prepareCatalog(connection, { ...catalog, defineMacros: true });
    connection.closeSync();
  } finally {
    instance.closeSync();
  }
}
