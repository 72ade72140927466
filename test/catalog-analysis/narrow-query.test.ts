import { expect, test } from 'vitest';
import { buildAnalyze } from '../../src/catalog-analysis/analyze-catalog.ts';
import { deriveQuery } from '../../src/catalog-analysis/derived/derive-query.ts';
import { narrowQuery } from '../../src/catalog-analysis/derived/narrow-query.ts';
import { draftQuery } from '../support/queries.ts';

test.each(['bucket', 'Bucket', 'BUCKET'])('the bucket is the column of the SQL, spelt %s', async (name) => {
  const query = draftQuery({
    columns: { bucket: 'timestamp', n: 'integer' },
    sql: `select timestamp_trunc(ts, hour) as ${name}, count(*) as n from events
      where ts >= timestamp_sub(current_timestamp(), interval 1 day) group by bucket order by bucket`,
  });
  const fields = [{ name: 'ts', type: 'TIMESTAMP', mode: 'REQUIRED' } as const];
  const tables = [{ name: 'events', fields }];
  const analyzed = buildAnalyze()({ queries: [query], tables });
  const derived = await narrowQuery(tables, (derivation) =>
    deriveQuery(query, derivation, analyzed, { sql: 'bigquery', name: 'duckdb' }),
  );
  expect(derived).toMatchObject({ bucket: { name: 'bucket' } });
});
