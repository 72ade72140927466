import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { checkDocument } from '../../src/lsp/check-document.ts';
import { loadTables } from 'querygate/catalog';
import { medianOf } from '../../../../test/support/median.ts';
import { processorMs } from '../../../../test/support/processor-time.ts';

test('a saved query of 300 lines is checked in less than 200 ms', async () => {
  const { tables } = loadTables('queries/tables');
  const text = readFileSync('queries/functions.invocation-stats.sql', 'utf8');
  const [header = '', sql = ''] = text.split('---*/\n');
  // The same query as many common tables.
  const lines = sql.trimEnd().replace(/;$/, '').split('\n');
  const parts = Array.from(
    { length: Math.ceil((300 - header.split('\n').length) / (lines.length + 1)) },
    (_, at) => `part_${at} as (\n${lines.join('\n')}\n)`,
  );
  const long = `${header}---*/\nwith ${parts.join(',\n')}\nselect * from part_0\n`;
  expect(long.split('\n').length).toBeGreaterThan(300);
  const context = { tables, dialect: { sql: 'bigquery' } } as const;
  const check = (changed: string) =>
    checkDocument('functions.invocation-stats', 'functions.invocation-stats.sql', changed, context);
  expect(check(long).problems).toEqual([]);
  const typed = long.replace('select * from part_0', 'select * from part_');
  expect(check(typed).problems.map(({ message }) => message)).toEqual([
    'no table is named part_; did you mean part_0?',
  ]);
  const ms = await medianOf((at) => processorMs(() => check(`${typed}-- ${at}\n`)));
  expect(ms).toBeLessThan(200);
});
