import { expect, test } from 'vitest';
import {
  groupedUnsharedNotes,
  openSharing,
  unsharedNotes,
  unsharedQueries,
} from '../../src/author/sharing.ts';
import { buildAnalyze } from '../../src/catalog-analysis/analyze-catalog.ts';
import { duckdb } from '../../src/engines/duckdb/duckdb.ts';
import { draftQuery } from '../support/queries.ts';

const fields = [
  { name: 'project', type: 'STRING', mode: 'NULLABLE' },
  { name: 'status', type: 'INT64', mode: 'NULLABLE' },
] as const;
const columns = { status: 'integer' };
const parameters = { ref: '{ type: string, description: The project., tenant: true, required: true }' };
const unordered = 'select status from logs where project = @ref';

const unsharedOf = (sqls: readonly string[]) => {
  const queries = sqls.map((sql, at) => draftQuery({ name: `q${at}`, columns, parameters, sql }));
  const catalog = buildAnalyze()({ queries, tables: [{ name: 'logs', fields }] });
  return unsharedQueries(catalog, openSharing(catalog, duckdb()));
};

test('check says why a query runs for each tenant alone, at the place, and nothing of one that is shared', () => {
  const unshared = unsharedOf([unordered, `${unordered} order by status`]);
  const notes = ['q0 runs for each tenant alone: draft.sql:11:1 its rows have no order; add ORDER BY'];
  expect(groupedUnsharedNotes(unshared)).toEqual(notes);
  expect(unsharedNotes(unshared)).toEqual(notes);
});

test('check counts the queries that run for each tenant alone for one reason, and JSON has them all', () => {
  const unshared = unsharedOf([...Array(5).fill(unordered), `(${unordered}) order by status`]);
  expect(groupedUnsharedNotes(unshared)).toEqual([
    '5 queries run for each tenant alone: its rows have no order; add ORDER BY (q0, q1, q2 and 2 more, which --json names)',
    expect.stringMatching(/^q5 runs for each tenant alone: draft\.sql:11:2 parentheses around/),
  ]);
  expect(unsharedNotes(unshared)).toHaveLength(6);
});
