import { describe, expect, test } from 'vitest';
import { openSandbox } from '../../src/sandbox/open-sandbox.ts';
import type { TableSchema } from '../../src/table-schema.ts';
import { printQuery } from '../../src/tree/print.ts';

const events: TableSchema = {
  name: 'events',
  fields: [{ name: 'id', type: 'INTEGER', mode: 'NULLABLE' }],
};

const sandboxOver = (sql: string) =>
  openSandbox(
    {
      sql,
      source: { file: 'saved.sql', line: 1 },
      parameters: [],
      hiddenTables: ['part_base', 'part_other'],
    },
    [events],
  );

const sql =
  'WITH part_base AS (SELECT id FROM events), part_other AS (SELECT id FROM part_base), own AS (SELECT id FROM part_other) SELECT id FROM own';

const problemOf = (caller: string): string => {
  try {
    sandboxOver(sql).judge(caller);
    return 'none';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
};

describe("tables that are hidden from a caller's SQL", () => {
  test('are read by the others', () => {
    const sandbox = sandboxOver(sql);
    expect(sandbox.tables).toEqual(['own']);
    expect(sandbox.judge('SELECT id FROM own').compiled.tables).toEqual(['events']);
    expect(sandbox.judge('SELECT id FROM own').bigqueryText()).toContain(
      'part_base AS (SELECT id FROM events)',
    );
    expect(sandbox.exportTables().map(({ outline }) => outline.name)).toEqual([
      'own',
      'INFORMATION_SCHEMA.TABLES',
      'INFORMATION_SCHEMA.COLUMNS',
    ]);
  });

  test.each(['TABLES', 'COLUMNS'])('are not in INFORMATION_SCHEMA.%s', (view) => {
    const { compiled } = sandboxOver(sql).judge(`SELECT * FROM INFORMATION_SCHEMA.${view}`);
    const text = printQuery(compiled.query);
    expect(text).toContain("'own'");
    expect(text).not.toMatch(/part_|events/);
  });

  test.each([
    'SELECT id FROM part_base',
    'SELECT id FROM `PART_OTHER`',
    'SELECT id FROM own JOIN part_other USING (id)',
    'SELECT (SELECT MAX(id) FROM part_base) AS id FROM own',
    'WITH x AS (SELECT id FROM part_base) SELECT id FROM x',
  ])('cannot be named: %s', (caller) => {
    expect(problemOf(caller)).toMatch(/no table is named part_(?:base|other)/i);
    expect(problemOf(caller)).not.toMatch(/did you mean part_/);
  });

  test('have names that no table of a caller can have', () => {
    expect(problemOf('WITH Part_Base AS (SELECT 1 AS id) SELECT id FROM Part_Base')).toContain(
      'Part_Base is already a table of this endpoint; give this one another name',
    );
  });

  test('are none of the tables that a query without others has', () => {
    expect(() => sandboxOver('WITH part_base AS (SELECT id FROM events) SELECT id FROM part_base')).toThrow(
      /needs a WITH clause/,
    );
  });
});
