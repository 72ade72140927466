import { sessionSettings } from '../dialect/macros/macros.ts';
import { quote } from '../dialect/types.ts';
import type { CheckOptions } from '../engine.ts';
import { openDatabase } from './open-database.ts';
import { prepareCatalog } from './prepare/prepare-catalog.ts';
import { columnType } from './store/column-type.ts';

/**
 * Checks that DuckDB can run every query of the catalog, over empty tables.
 *
 * @throws StartError with every problem, as opening the engine would
 */
export async function checkQueries({ catalog, config }: CheckOptions): Promise<void> {
  const database = await openDatabase(config);
  try {
    const connection = await database.connect();
    await connection.run(sessionSettings.join(';'));
    for (const { name, fields } of catalog.tables) {
      const columns = fields.map((field) => `${quote(field.name)} ${columnType(field)}`);
      await connection.run(`CREATE OR REPLACE TABLE ${quote(name)} (${columns.join(', ')})`);
    }
    await prepareCatalog(connection, { ...catalog, definedMacros: new Set(), planAll: true });
  } finally {
    database.close();
  }
}
