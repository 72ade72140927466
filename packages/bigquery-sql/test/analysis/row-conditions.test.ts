import { describe, expect, test } from 'vitest';
import { storedColumns } from '../../src/duckdb.ts';
import { customPlan, type Plan, printPlan } from '../../src/duckdb/plan.ts';
import type { Field } from '../../src/table-schema.ts';
import { runPasses } from '../../src/passes/passes.ts';
import { compileTree, type Expression, readStored, schemaTables } from '../../src/tree.ts';
import { freshNames } from '../../src/tree/fresh-names.ts';

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

test.each([
  ["m.a = 'a'", false],
  ["m.a BETWEEN 'a' AND 'b'", false],
  ["'z' NOT BETWEEN m.a AND 'a'", true],
  ['NOT m.a IN (SELECT b FROM t)', true],
])('a record of a file is read only where no condition requires a field of it: %s', (where, isRead) => {
  const texts: readonly Field[] = ['a', 'b'].map((name) => ({ name, type: 'STRING', mode: 'NULLABLE' }));
  const schema = {
    name: 't',
    fields: [...texts, { name: 'r', type: 'RECORD', mode: 'REPEATED', fields: texts }],
  } as const;
  const stored = [{ ...schema, relation: '"t"', isInFiles: true, columns: storedColumns(schema, new Set()) }];
  const sql = `SELECT t.b FROM t, UNNEST(r) AS m WHERE ${where}`;
  const { query } = compileTree(
    { sql, source: { file: 'q.sql', line: 1 }, parameters: [] },
    schemaTables([schema]),
  );
  const read = readStored(query, stored);
  const plan = printPlan(runPasses(read, { known: {}, fresh: freshNames(read) }));
  expect(plan.inFiles?.reads[0]?.columns.has('r')).toBe(isRead);
});

describe('the latest rows of a wide table', () => {
  const wide = ['a', 'b', 'c', 'd', 'e'].map(
    (name) => ({ name, type: 'INTEGER', mode: 'REQUIRED' }) as const,
  );
  const schema = { name: 't', fields: wide };
  const inFiles = [
    { ...schema, relation: '"t"', isInFiles: true, columns: storedColumns(schema, new Set()) },
  ];
  const planOf = (sql: string) => {
    const { query, columns } = compileTree(
      { sql, source: { file: 'q.sql', line: 1 }, parameters: [] },
      inFiles,
    );
    const planned = columns.map(({ column, type }) => ({
      name: column,
      type,
      select: (value: Expression) => value,
    }));
    return customPlan(readStored(query, inFiles), planned, 1000, {});
  };
  const columnsOf = (plan: Plan | undefined) => plan?.inFiles?.reads.map((read) => [...read.columns].sort());
  const rows = (where: string) => `SELECT a, b, c, d, e FROM t WHERE ${where} ORDER BY a DESC LIMIT 3`;

  test('are found by their times first; then files are compared with the time of the last', () => {
    const { inFiles: atOnce, inSteps } = planOf(rows('b = 1'));
    expect(atOnce?.reads).toHaveLength(2);
    expect(inSteps?.limits.map(({ plan }) => columnsOf(plan))).toEqual([[['a', 'b']]]);
    expect(columnsOf(inSteps?.last)).toEqual([['a', 'b', 'c', 'd', 'e']]);
    const [read] = inSteps?.last.inFiles?.reads ?? [];
    expect(read?.conditions).toContainEqual({
      ...{ column: 'a', operator: '>=' },
      value: expect.objectContaining({ kind: 'parameter', name: inSteps?.limits[0]?.name }),
    });
  });

  test('are found at once if their conditions are those of rows around them', () => {
    const sql = `SELECT o.b, ARRAY(SELECT AS STRUCT a, b, c, d, e FROM t WHERE t.b = o.b ORDER BY a DESC LIMIT 3) AS r FROM t AS o`;
    expect(planOf(sql).inSteps).toBeUndefined();
  });
});
