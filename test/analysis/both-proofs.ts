import { storedColumns } from '@querygate/bigquery-sql/duckdb';
import type { TableSchema } from '@querygate/bigquery-sql/table-schema';
import { compileTree } from '@querygate/bigquery-sql/tree';
import { expect } from 'vitest';
import { buildAnalyze } from '../../src/analysis/analyze-catalog.ts';
import {
  sandboxProblemsOf,
  tenantProblemsOf,
  unfilteredProblems,
} from '../../src/analysis/former-tenant-filters.ts';
import type { SavedQuery } from '../../src/catalog/model/saved-query.ts';
import { StartError } from '../../src/errors.ts';

export const compared = { queries: 0, refused: 0, sandboxed: 0, sandboxesRefused: 0, stored: 0 };

/** Compares the former proof with the one of the analysis: of any engine, and over tables as DuckDB stores them. */
export function compareProofs(query: SavedQuery, tables: readonly TableSchema[]): void {
  const open = buildAnalyze()({ queries: [], tables }).analysisOf(query);
  const declared = buildAnalyze({ sql: 'bigquery' })({ queries: [], tables }).analysisOf(query);
  const former = tenantProblemsOf(query, tables);
  expect(open.tenantProblems(), query.sql).toEqual(former);
  const places = (found: readonly { readonly line?: number; readonly column?: number }[]) =>
    found.map(({ line, column }) => `${line}:${column}`);
  const sandbox = sandboxProblemsOf(query, tables);
  expect(places(open.sandboxProblems()).slice(0, 1), query.sql).toEqual(places(sandbox).slice(0, 1));
  const lists = new Set(tables.flatMap(({ fields }) => pathsOf(fields)));
  for (const repeated of [new Set<string>(), lists]) {
    const stored = tables.map((table) => ({ ...table, columns: storedColumns(table, repeated) }));
    try {
      const compiled = compileTree(query, stored);
      expect(declared.tenantProblems(), query.sql).toEqual(unfilteredProblems(query, compiled));
      compared.stored += 1;
    } catch (error) {
      if (!(error instanceof StartError)) throw error;
      expect(declared.compiled, query.sql).toThrow(StartError);
    }
  }
  compared.queries += 1;
  if (former.length > 0) compared.refused += 1;
  if (query.querySandboxing === 'enabled') compared.sandboxed += 1;
  if (sandbox.length > 0) compared.sandboxesRefused += 1;
}

const pathsOf = (fields: TableSchema['fields'], prefix = ''): readonly string[] =>
  fields.flatMap(({ name, fields: inner }) =>
    inner === undefined ? [] : [`${prefix}${name}`, ...pathsOf(inner, `${prefix}${name}.`)],
  );
