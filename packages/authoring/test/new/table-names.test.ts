import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { addTable } from '../../src/tables/add-table.ts';

test.each([
  ['2x', '2x begins with a digit: in SQL, write `2x` in backquotes'],
  ['select', 'select is a reserved word: in SQL, write `select` in backquotes'],
  ['__TABLES__', "__TABLES__ is a name of BigQuery's own: choose another, which SQL there can read"],
  [
    'Information_Schema',
    "Information_Schema is a name of BigQuery's own: choose another, which SQL there can read",
  ],
])('a table with a name that SQL does not read as it is has a note: %s', async (name, note) => {
  const folder = mkdtempSync(join(tmpdir(), 'table-names-'));
  const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  try {
    const schema = join(folder, 'schema.json');
    writeFileSync(schema, '[{"name":"a","type":"STRING"}]');
    await addTable({ queriesDir: folder, duckdb: {} }, name, [schema], {});
    expect(written.mock.calls.map(([text]) => text)).toContain(`  ${note}\n`);
  } finally {
    written.mockRestore();
    rmSync(folder, { recursive: true });
  }
});
