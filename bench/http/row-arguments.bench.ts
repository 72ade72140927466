import type { Bench } from '../run.ts';
import { compareInTurns } from './compare.ts';
import { postGraphql, startGraphqlSides } from './graphql-sides.ts';
import { startBare } from './sides.ts';

/** By what is another one in each request. */
const goals = { nothing: 20, 'values of variables': 8, 'values in the document': 3 } as const;

const rows = 1_000;

const bench: Bench = {
  title:
    'GraphQL by POST: rows of a cached result that are filtered and ordered, against naive Yoga and Pothos that do so in resolvers',
  async *run() {
    const sides = await startGraphqlSides();
    const requests = buildRequests(sides.fieldNames);
    try {
      for (const other of ['nothing', 'values of variables', 'values in the document'] as const) {
        const nextRequest = requests[other];
        yield await compareInTurns({
          title: `${rows}×8, new each time: ${other}`,
          side: { name: 'gateway', port: sides.gatewayPort, nextRequest },
          against: { name: 'naive Yoga', port: sides.naivePort, nextRequest },
          goal: goals[other],
        });
      }
      const { query, variables } = operation(sides.fieldNames, 300);
      const bare = await startBare(sides.folder, await sides.bodyOf(query, variables));
      const known = postGraphql(query, 'key', [], variables);
      yield await compareInTurns({
        title: `${rows}×8, new each time: nothing`,
        side: { name: 'gateway', port: sides.gatewayPort, nextRequest: () => known },
        against: { name: 'bare', port: bare.port, nextRequest: () => known },
        goal: 0.8,
      });
      bare.end();
    } finally {
      await sides.end();
    }
  },
};

export default bench;

/** About three quarters of the rows. */
function operation(fields: readonly string[], least: number) {
  const query = `query ($least: Float!) { mark${rows} { rows(where: { maxTime: { gte: $least } }, orderBy: [{ errorCount: DESC }, { avgTime: ASC }]) { ${fields.join(' ')} } } }`;
  return { query, variables: { least } };
}

function buildRequests(fields: readonly string[]): Readonly<Record<keyof typeof goals, () => Buffer>> {
  let count = 0;
  /** Another one each time. */
  const nextLeast = () => {
    count += 1;
    return (count % 750) + count / 1e9;
  };
  const { query, variables } = operation(fields, 300);
  const known = postGraphql(query, 'key', [], variables);
  return {
    nothing: () => known,
    'values of variables': () => postGraphql(query, 'key', [], { least: nextLeast() }),
    'values in the document': () =>
      postGraphql(query.replace('query ($least: Float!) ', '').replace('$least', String(nextLeast()))),
  };
}
