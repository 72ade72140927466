import { DuckDBInstance } from '@duckdb/node-api';
import { loadExtensions } from '../../src/engines/duckdb/extensions.ts';
import { extensionsDir } from './duckdb-extensions.ts';

// A server of DuckDB, as others run it: it runs the SQL that it is sent, and answers with the rows.
const instance = await DuckDBInstance.create(':memory:', { threads: '2', memory_limit: '1GB' });
const connection = await instance.connect();
await loadExtensions(connection, extensionsDir, ['httpfs', 'quack'], 'a test');
process.on('message', async (sql: string) => {
  const found = await connection.runAndReadAll(sql);
  process.send?.(found.getRowsJson());
});
process.once('disconnect', () => process.exit());
process.send?.('ready');
