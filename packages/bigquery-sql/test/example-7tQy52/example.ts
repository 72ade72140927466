import { DuckDBInstance } from '@duckdb/node-api';
import { analyze, compile, openSession, ProblemError } from '@querygate/bigquery-sql';

const connection = await (await DuckDBInstance.create(':memory:')).connect();
await connection.run("CREATE TABLE visits AS SELECT 'home' AS page, 3 AS n UNION ALL SELECT 'about', 4");

const session = await openSession(connection);
const outcome = await session.run('SELECT page, SAFE_DIVIDE(n, 2) AS half FROM visits WHERE n > @least', {
  parameters: { least: 3 },
});
if ('rows' in outcome) console.log(outcome.columns, outcome.rows);

const visits = { name: 'visits', fields: [{ name: 'page', type: 'STRING', mode: 'REQUIRED' }] } as const;
const { columns } = analyze('SELECT UPPER(page) AS page FROM visits', { tables: [visits] });
console.log(columns);

try {
  compile('SELECT page, pgae\nFROM visits', { tables: [visits] });
} catch (error) {
  if (error instanceof ProblemError) console.log(error.problems);
}
