import { openWithExtensions } from './duckdb-extensions.ts';

// DuckDB as another program has it: runs the SQL that it is sent, and answers with the rows.
const { connection } = await openWithExtensions(...process.argv.slice(2));
process.on('message', async (sql: string) => {
  const answer = await connection.runAndReadAll(sql).then(
    (found) => ({ rows: found.getRowsJson() }),
    (error: Error) => ({ error: error.message }),
  );
  process.send?.(answer);
});
process.once('disconnect', () => process.exit());
process.send?.({ rows: [] });
