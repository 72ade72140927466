import { runRestJob } from './rest-job.ts';

/**
 * `npx node test/random-rest/run.ts [queries] [seed]`: random queries over imported rows, through REST, compared with GoogleSQL's
 * reference evaluator. Equal seeds give equal queries over equal rows. Exit code 1 if any answer is wrong.
 */
const [queries = '500', seed = String(Date.now() % 1_000_000)] = process.argv.slice(2);
const wrong = await runRestJob(Number(queries), Number(seed), (text) => console.log(text));
process.exitCode = wrong === 0 ? 0 : 1;
