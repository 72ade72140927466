import { parseArgs } from 'node:util';
import { runJob } from './job.ts';

/**
 * `npx node packages/bigquery-sql/conformance/random/run.ts [queries] [seed]`: random queries on both engines. Equal seeds give equal queries over
 * equal tables. Exit code 1 if any answer is wrong.
 */
const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    // The number of the only query of the seed to run.
    only: { type: 'string' },
    // Cuts down refused queries too.
    refused: { type: 'boolean', default: false },
  },
});

const [queries = '1000', seed = String(Date.now() % 1_000_000)] = positionals;
const wrong = await runJob({
  queries: Number(queries),
  seed: Number(seed),
  only: options.only === undefined ? undefined : Number(options.only),
  refused: options.refused,
  print: (text) => console.log(text),
});
process.exitCode = wrong === 0 ? 0 : 1;
