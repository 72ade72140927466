import { setTimeout } from 'node:timers/promises';
import { type EngineFactory, limitRuns, rowsOf } from 'querygate';

type Row = Readonly<Record<string, unknown>>;

/** An engine over an array of rows. */
export const arrayEngine = (rows: readonly Row[]): EngineFactory => ({
  name: 'array',
  sql: 'native',
  open: async (host) =>
    limitRuns(host, {
      source: 'array',
      async run({ query, parameters }, { signal }) {
        const meaningOf = (word: string) => {
          if (word.startsWith('@')) return parameters[word.slice(1)] ?? '';
          return word === 'now' ? host.now().toISOString() : word;
        };
        const conditions = [...query.sql.matchAll(/(\w+) = (@?\w+)/g)].map(([, column = '', word = '']) => {
          const values = [meaningOf(word)].flat();
          return (row: Row) => values.includes(String(row[column]));
        });
        const added = [...query.sql.matchAll(/(@?\w+) as (\w+)/g)].map(
          ([, word = '', column = '']) => [column, meaningOf(word)] as const,
        );
        const [, seconds = '0'] = /sleep (\d+)/.exec(query.sql) ?? [];
        // Rejects when the signal is aborted: the deadline has passed, or the caller is gone.
        await setTimeout(Number(seconds) * 1000, undefined, { signal });
        const found = rows.filter((row) => conditions.every((isMet) => isMet(row)));
        const more = Object.fromEntries(added);
        return rowsOf(
          query,
          found.map((row) => ({ ...row, ...more })),
        );
      },
      async close() {},
    }),
});
