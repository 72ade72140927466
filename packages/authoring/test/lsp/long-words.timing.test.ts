import { expect, test } from 'vitest';
import { selectAt } from '../../src/lsp/checks.ts';
import { completeSql } from '../../src/lsp/complete.ts';
import { hoverHeader } from '../../src/lsp/hover.ts';
import { parseAround } from '../../src/lsp/sql-scope.ts';
import { medianOf } from '../../../../test/support/median.ts';
import { processorMs } from '../../../../test/support/processor-time.ts';

/** A text of a hash, or of bytes. */
const digits = 'a1'.repeat(32_000);
const sql = `select '${digits}' as x, t`;
const place = { sql, offset: sql.length, tables: [], readable: [], parameters: [], last: undefined };
const checks = `${'/* about the next one */ '.repeat(40)}x`;

test.each<[string, () => unknown]>([
  ['the tree around a place', () => parseAround(`${sql} from t`, sql.length)],
  ['proposals', () => completeSql(place)],
  ['proposals behind a long path', () => completeSql({ ...place, sql: `${'a.'.repeat(32_000)} ` })],
  ['the meaning of a key', () => hoverHeader(`description: ${digits} \nid: x`, digits.length + 15)],
  ['an ASSERT behind many comments', () => selectAt(checks, checks.length)],
])('%s takes less than 400 ms, however long a word is', async (_, work) => {
  expect(await medianOf(() => processorMs(work))).toBeLessThan(400);
});
