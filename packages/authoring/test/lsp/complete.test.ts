import { expect, test } from 'vitest';
import type { TableSchema } from '@querygate/bigquery-sql/table-schema';
import { completeHeader, completeSql } from '../../src/lsp/complete.ts';
import { parseAround } from '../../src/lsp/sql-scope.ts';

const tables: readonly TableSchema[] = [
  { name: 'logs', fields: [{ name: 'path', type: 'STRING', mode: 'NULLABLE' }] },
];

test.each(['SELECT logs.¦ FROM logs', 'SELECT logs.¦\nFROM logs', 'SELECT logs.pa¦ FROM logs'])(
  'the fields of a table before FROM without an alias: %s',
  (marked) => {
    const sql = marked.replace('¦', '');
    const place = { sql, offset: marked.indexOf('¦'), tables, readable: [], parameters: [], last: undefined };
    expect(completeSql(place).map(({ label }) => label)).toEqual(['path']);
  },
);

test('a name behind the place keeps its meaning', () => {
  const sql = 'SELECT logs.path FROM logs';
  expect(parseAround(sql, sql.indexOf('path'))).toMatchObject({
    query: { body: { items: [{ expression: { parts: [{}, { name: 'path' }] } }] } },
  });
});

test('keys of the header below a key with a comment, whatever its lines end with', () => {
  for (const end of ['\n', '\r\n']) {
    const before = ['columns:', '  path: # of the request', '    '].join(end);
    expect(completeHeader(before).map(({ label }) => label)).toContain('unit');
  }
});
