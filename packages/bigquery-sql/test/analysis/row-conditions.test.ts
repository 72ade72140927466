import { expect, test } from 'vitest';
import { printPlan } from '../../src/duckdb/plan.ts';
import type { Field } from '../../src/table-schema.ts';
import { compileTree } from '../../src/tree.ts';

const fields: readonly Field[] = [{ name: 'a', type: 'INTEGER', mode: 'NULLABLE' }];
const tables = [{ name: 't', fields, relation: '"t"', isInFiles: true }];

const conditionCounts = (sql: string) => {
  const { query } = compileTree({ sql, source: { file: 'q.sql', line: 1 }, parameters: [] }, tables);
  return printPlan(query).inFiles?.reads.map(({ conditions }) => conditions.length);
};

test('files are compared with few conditions, however many a text has', () => {
  const many = Array.from({ length: 900 }, (_, at) => `a > ${at}`).join(' AND ');
  expect(conditionCounts('SELECT a FROM t WHERE a > 1 AND a < 9')).toEqual([2]);
  expect(conditionCounts(`SELECT a FROM t WHERE ${many}`)).toEqual([20]);
  expect(
    conditionCounts(`SELECT a FROM (SELECT a FROM t WHERE ${many} UNION ALL SELECT a FROM t) WHERE ${many}`),
  ).toEqual([20, 20]);
});
