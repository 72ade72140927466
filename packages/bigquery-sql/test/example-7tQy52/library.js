import { DuckDBInstance } from '@duckdb/node-api';
import { openSession } from '@querygate/bigquery-sql';

const connection = await (await DuckDBInstance.create(':memory:')).connect();
await connection.run("CREATE VIEW visits AS FROM 'visits.csv'");
const session = await openSession(connection);
const outcome = await session.run('SELECT page, SAFE_DIVIDE(n, 2) AS half FROM visits WHERE n > @least', {
  parameters: { least: 3 },
});
if ('rows' in outcome) console.log(outcome.columns, outcome.rows);
else console.error(outcome.error.message);
