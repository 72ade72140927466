import type { Bench } from '../run.ts';
import { compareInTurns } from './compare.ts';
import { postGraphql, startGraphqlSides } from './graphql-sides.ts';
import { rowCounts } from './sides.ts';

const goals = { 24: 1.2, 1000: 6 } as const;

const bench: Bench = {
  title:
    'GraphQL by POST: selections that are new each time, over cached results, against naive Yoga and Pothos',
  async *run() {
    const sides = await startGraphqlSides();
    const selections: Readonly<Record<string, readonly string[]>> = {
      rows: sides.fieldNames,
      logs: ['id', 'timestamp', 'eventMessage'],
    };
    try {
      for (const rows of rowCounts) {
        for (const [endpoint, fields] of Object.entries(selections)) {
          const columns = endpoint === 'rows' ? '8' : `3 columns of four, as logs.all has them`;
          yield await compareInTurns({
            title: `${rows}×${columns}`,
            side: {
              name: 'gateway',
              port: sides.gatewayPort,
              pid: sides.gatewayPid,
              nextRequest: newSelections(`${endpoint}${rows}`, fields),
            },
            against: {
              name: 'naive Yoga',
              port: sides.naivePort,
              pid: sides.naivePid,
              nextRequest: newSelections(`${endpoint}${rows}`, fields),
            },
            goal: goals[rows],
          });
        }
      }
    } finally {
      await sides.end();
    }
  },
};

export default bench;

/** Operations that no server has seen: the name of the operation, an alias and the order of the fields change. */
function newSelections(endpoint: string, fields: readonly string[]): () => Buffer {
  let count = 0;
  return () => {
    count += 1;
    const first = count % fields.length;
    const [renamed, ...others] = [...fields.slice(first), ...fields.slice(0, first)];
    return postGraphql(
      `query Q${count} { ${endpoint} { rows { a${count}: ${renamed} ${others.join(' ')} } } }`,
    );
  };
}
