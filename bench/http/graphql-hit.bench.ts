import { camelCase } from '../../src/catalog/names.ts';
import type { Bench } from '../run.ts';
import { compareInTurns, type Side } from './compare.ts';
import { requestBytes } from './load.ts';
import { bytesOf, columns, makeFolder, rowCounts, startBare, startNaive, startOver } from './sides.ts';

const fieldNames = Object.keys(columns).map(camelCase);

const goals = {
  bare: { 24: 0.5, 1000: 0.8 },
  naive: { 24: 10, 1000: 80 },
  newSelection: { 24: 1.2, 1000: 6 },
} as const;

const bench: Bench = {
  title:
    'GraphQL by POST: cached results against bare node:http with the same bytes, and naive Yoga and Pothos',
  async run() {
    const folder = makeFolder();
    const gateway = await startOver(folder);
    const results: Record<string, unknown> = {};
    for (const rows of rowCounts) {
      const query = `{ rows${rows} { rows { ${fieldNames.join(' ')} } } }`;
      const body = await bytesOf(`${gateway.origin}/graphql`, headers, JSON.stringify({ query }));
      results[`rows${rows}`] = JSON.parse(String(body)).data[`rows${rows}`].rows;
    }
    const naive = await startNaive(folder, JSON.stringify(results));
    const lines: string[] = [];
    try {
      for (const rows of rowCounts) {
        const query = `{ rows${rows} { rows { ${fieldNames.join(' ')} } } }`;
        const body = await bytesOf(`${gateway.origin}/graphql`, headers, JSON.stringify({ query }));
        const bare = await startBare(folder, body);
        const known = post(JSON.stringify({ query }));
        const port = Number(new URL(gateway.origin).port);
        const side: Side = { name: 'gateway', port, nextRequest: () => known };
        const fresh: Side = { name: 'gateway', port, nextRequest: newSelections(rows) };
        lines.push(
          await compareInTurns({
            title: `${rows}×8`,
            side,
            against: { name: 'bare', port: bare.port, nextRequest: () => known },
            goal: goals.bare[rows],
          }),
          await compareInTurns({
            title: `${rows}×8`,
            side,
            against: { name: 'naive Yoga', port: naive.port, nextRequest: () => known },
            goal: goals.naive[rows],
          }),
          await compareInTurns({
            title: `${rows}×8, a selection that is new each time`,
            side: fresh,
            against: { name: 'naive Yoga', port: naive.port, nextRequest: newSelections(rows) },
            goal: goals.newSelection[rows],
          }),
        );
        bare.end();
      }
    } finally {
      naive.end();
      await gateway.end();
      folder.remove();
    }
    return lines;
  },
};

export default bench;

const headers = { 'x-api-key': 'key', 'content-type': 'application/json' };

function post(body: string): Buffer {
  const head = ['POST /graphql HTTP/1.1', 'Host: bench', 'X-API-KEY: key', 'Content-Type: application/json'];
  return requestBytes(head, body);
}

/** Operations that no server has seen: the name of the operation and an alias are new each time. */
function newSelections(rows: number): () => Buffer {
  let count = 0;
  return () => {
    count += 1;
    const [first, ...others] = fieldNames;
    const query = `query Q${count} { rows${rows} { rows { a${count}: ${first} ${others.join(' ')} } } }`;
    return post(JSON.stringify({ query }));
  };
}
