import { join } from 'node:path';
import { loadCases } from '../cases.ts';
import { loadTables } from '../load-tables.ts';

/**
 * One statement of each sixth line of the case files that reads no table, has no parameter, and is the same for the evaluator: each
 * engine can run it as it is.
 */
export function pageStatements(): readonly string[] {
  const tables = loadTables(join(import.meta.dirname, '../cases/tables.yaml')).map(({ name }) => name);
  const needs = new RegExp(
    `@|\\b(?:${tables.join('|')}|rand|generate_uuid|current_\\w+|session_user)\\b`,
    'i',
  );
  const usable = loadCases().filter(
    ({ wrong, sql, referenceSql }) => !wrong && sql === referenceSql && !needs.test(sql),
  );
  const lines = Map.groupBy(usable, ({ template }) => `${template.file}:${template.line}`);
  // Inputs begin with NULL and the like: the middle one is a plain value.
  return [...lines.values()].flatMap((cases, at) =>
    at % 6 > 0 ? [] : (cases[Math.floor(cases.length / 2)]?.sql ?? []),
  );
}
