import type { Sandbox } from '@querygate/bigquery-sql/sandbox';
import { expect, test } from 'vitest';
import { LoopTurns } from '../../../src/concurrency/loop-turns.ts';
import { unrestricted } from '../../../src/keys/principal.ts';
import { buildListTools } from '../../../src/plugins/mcp/calls/list-tools.ts';
import type { NamedTool } from '../../../src/plugins/mcp/calls/tool-names.ts';
import { draftQuery } from '../../support/queries.ts';

test('tables of tools for SQL are compiled in a step each, once for all keys that get the same tools', async () => {
  const query = draftQuery({ columns: { n: 'integer' }, sql: 'select 1 as n' });
  const listed = Array.from({ length: 5 }, (_, at): NamedTool => {
    const name = `q${at}`;
    const endpoint = { name, field: name, query, isPinned: false };
    return { name: `${name}_sql`, fullName: `${name}.sql`, endpoint, takesSql: true };
  });
  const compiled: string[] = [];
  let steps = 0;
  const sandboxOf = () => {
    const readAll = (table: string) => {
      compiled.push(`${table} in step ${steps}`);
      return { columns: [] };
    };
    return { tables: ['t'], readAll } as unknown as Sandbox;
  };
  class CountedTurns extends LoopTurns {
    override async compute<T>(_: string, iterator: Iterator<void, T>): Promise<T> {
      for (;;) {
        const step = iterator.next();
        if (step.done) return step.value;
        steps += 1;
      }
    }
  }
  const find = () => undefined;
  const tools = { listed: () => listed, areSearched: () => false, find, findListed: find, sqlToolOf: find };
  const list = buildListTools(tools, { sandboxOf, turns: new CountedTurns() });
  const text = await list(unrestricted('one'));
  expect(JSON.parse(text)).toHaveLength(5);
  expect(compiled).toEqual([0, 1, 2, 3, 4].map((step) => `t in step ${step}`));
  expect(list(unrestricted('two'))).toBe(text);
});
