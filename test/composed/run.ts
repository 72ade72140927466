import { parseArgs } from 'node:util';
import { runComposedJob } from './job.ts';

/**
 * `npx node test/composed/run.ts [queries] [seed]`: random queries whose parts are files, judged by GoogleSQL's reference
 * evaluator. Equal seeds give equal queries over equal tables. Exit code 1 if any answer is wrong.
 */
const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    // The number of the only query of the seed to run.
    only: { type: 'string' },
  },
});

const [queries = '1000', seed = String(Date.now() % 1_000_000)] = positionals;
const wrong = await runComposedJob({
  queries: Number(queries),
  seed: Number(seed),
  only: options.only === undefined ? undefined : Number(options.only),
  print: (text) => console.log(text),
});
process.exitCode = wrong === 0 ? 0 : 1;
