import { expect, test } from 'vitest';
import { unfilteredTables } from '../../src/analysis.ts';
import { compile } from '../../src/compile.ts';

const fields = ['k', 'tenant', 'message'].map(
  (name) => ({ name, type: 'STRING', mode: 'NULLABLE' }) as const,
);

function unfilteredIn(sql: string): readonly string[] {
  const { query } = compile({ sql, source: { file: 'test.sql', line: 1 } }, [{ name: 'logs', fields }]);
  const tenant = { name: 'tenant', isPattern: false, isList: false };
  return unfilteredTables(query, tenant).map(({ name }) => name);
}

test('a column beside which JOIN USING has merged others is compared at its own position', () => {
  const key = '(SELECT @tenant AS k)';
  expect(
    unfilteredIn(`SELECT z FROM (
      SELECT * FROM (SELECT 'q' AS m, 'w' AS tenant) AS a1 JOIN (SELECT 'q' AS m) AS b1 USING (m)
        JOIN (SELECT 'w' AS tenant) AS c1 USING (tenant) CROSS JOIN (SELECT 'e' AS m, 'r' AS z) AS d1
      UNION ALL SELECT * FROM ${key} AS a2 JOIN ${key} AS b2 USING (k) CROSS JOIN logs) WHERE tenant = @tenant`),
  ).toEqual(['logs']);
  expect(unfilteredIn(`SELECT message FROM logs JOIN ${key} AS a USING (k) WHERE k = @tenant`)).toEqual([]);
});
