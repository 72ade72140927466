import type { Bench } from '../run.ts';
import { compareInTurns, type Side } from './compare.ts';
import { postGraphql, startGraphqlSides } from './graphql-sides.ts';
import { rowCounts, startBare } from './sides.ts';

const goals = {
  bare: { 24: 0.5, 1000: 0.8 },
  naive: { 24: 10, 1000: 80 },
} as const;

const bench: Bench = {
  title:
    'GraphQL by POST: cached results against bare node:http with the same bytes, and naive Yoga and Pothos',
  async *run() {
    const sides = await startGraphqlSides();
    try {
      for (const rows of rowCounts) {
        const query = `{ rows${rows} { rows { ${sides.fieldNames.join(' ')} } } }`;
        const bare = await startBare(sides.folder, await sides.bodyOf(query));
        const known = postGraphql(query);
        const nextRequest = () => known;
        const side: Side = { name: 'gateway', port: sides.gatewayPort, pid: sides.gatewayPid, nextRequest };
        yield await compareInTurns({
          title: `${rows}×8`,
          side,
          against: { name: 'bare', port: bare.port, pid: bare.pid, nextRequest },
          goal: goals.bare[rows],
        });
        yield await compareInTurns({
          title: `${rows}×8`,
          side,
          against: { name: 'naive Yoga', port: sides.naivePort, pid: sides.naivePid, nextRequest },
          goal: goals.naive[rows],
        });
        bare.end();
      }
    } finally {
      await sides.end();
    }
  },
};

export default bench;
