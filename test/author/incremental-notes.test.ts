import { expect, test } from 'vitest';
import { incrementalNotes } from '../../src/author/incremental-notes.ts';
import { anyEngine, buildAnalyze } from '../../src/catalog-analysis/analyze-catalog.ts';
import { loadAnalyzed } from '../../src/catalog-analysis/load-analyzed.ts';
import { bigquery } from '../../src/engines/bigquery/bigquery.ts';
import { duckdb } from '../../src/engines/duckdb/duckdb.ts';
import { draftQuery } from '../support/queries.ts';

const tables = [{ name: 'logs', fields: [{ name: 'ts', type: 'TIMESTAMP', mode: 'REQUIRED' }] }] as const;

const notesOf = (sql: string) => {
  const caching = ['caching: 900s', 'incremental: true'];
  const query = draftQuery({ caching, columns: { b: 'timestamp', n: 'integer' }, sql });
  return incrementalNotes(buildAnalyze()({ queries: [query], tables }), duckdb());
};

test('check says why a query is not incremental, at the place', async () => {
  const counts = `select timestamp_trunc(ts, day) as b, count(*) as n from logs
where ts > timestamp_sub(current_timestamp(), interval 7 day) group by b`;
  expect(await notesOf(`${counts} order by b`)).toEqual([]);
  expect(await notesOf(`${counts} order by b limit 5`)).toEqual([
    'draft is not incremental: draft.sql:12:85 LIMIT chooses among the rows of all buckets',
  ]);
});

test('check says with which parameters it saves nothing on BigQuery', async () => {
  const engine = bigquery({ projectId: 'a', dataset: 'b' });
  const notes = await incrementalNotes(loadAnalyzed('queries', anyEngine), engine);
  expect(notes).toHaveLength(2);
  expect(notes[1]).toBe(
    'usage.api-counts is incremental; on BigQuery, where a partition is a day, it saves nothing with interval=minutely (60 minutes), interval=hourly (60 minutes)',
  );
});
