import { ownerOf } from '../../../keys/principal.ts';
import { describeType } from '@querygate/bigquery-sql/types';
import { judged } from '../../../catalog/binding/caller-sql.ts';
import { computingOwner } from '../../../concurrency/loop-turns.ts';
import type { RouteHost } from '../../../gateway/plugin.ts';
import { resultText } from '../protocol/result-text.ts';
import { csvCell } from '../rows/cells.ts';
import type { CallQuery } from './query-calls.ts';
import { buildReadCall } from './read-call.ts';

/** Checks SQL without running it. @throws as `CallQuery` does */
export type CheckSql = CallQuery;

/** The answer has the columns that SQL would return, and the bytes that it would read if the engine knows them. */
export function buildCheckSql({
  open,
  sandboxOf,
  estimateBytes,
  rejectKeys,
  turns,
}: Pick<RouteHost, 'open' | 'sandboxOf' | 'estimateBytes' | 'rejectKeys' | 'turns'>): CheckSql {
  const read = buildReadCall(rejectKeys);
  return async (tool, given, { admission, head, era }) => {
    const { principal } = admission;
    const { bound } = await open(read(tool, given, principal), { head, admission });
    const { query, sql = '' } = bound;
    await turns.wait(computingOwner(ownerOf(principal)));
    const { compiled } = judged(() => {
      const sandbox = sandboxOf(query);
      if (sandbox === undefined) throw new Error(`${query.name} takes no SQL`);
      return sandbox.judge(sql);
    });
    const columns = compiled.columns.map(({ column: name, type }) => ({ name, type: describeType(type) }));
    const bytesProcessed = await estimateBytes?.(bound, { signal: head.signal, owner: ownerOf(principal) });
    const text = [
      `The SQL is right. ${bytesProcessed === undefined ? 'Nothing was run.' : `A run would read ${bytesProcessed} bytes.`}`,
      'column,type',
      ...columns.map(({ name, type }) => `${csvCell(name)},${csvCell(type)}`),
    ].join('\n');
    const members = {
      content: JSON.stringify([{ type: 'text', text }]),
      structuredContent: JSON.stringify({ columns, bytesProcessed }),
    };
    return {
      bytes: Buffer.from(resultText(era, members)),
      facts: Object.freeze({ tool: tool.fullName, dryRun: true }),
    };
  };
}
