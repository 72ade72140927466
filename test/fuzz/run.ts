import { fuzz } from './fuzz.ts';

// `npx node test/fuzz/run.ts`, `npx node test/fuzz/run.ts <requests> <seed>`: the same seed sends the same requests.
const [requests = '100000', seed = String(Date.now() % 1e9)] = process.argv.slice(2);
const started = performance.now();
const { statuses, slowestMs, memoryMb, failed, exitCode, leaked } = await fuzz(
  Number(requests),
  Number(seed),
);

const counts = Object.entries(statuses).map(([status, count]) => `${status}: ${count}`);
process.stdout.write(`
${requests} requests in ${Math.round((performance.now() - started) / 1000)} s, seed ${seed}
answers      ${counts.join(', ')}
slowest      ${Math.round(slowestMs)} ms
memory       ${memoryMb.before} MB before, ${memoryMb.after} MB after
5xx          ${failed.length}
exit code    ${exitCode}
secrets in the log   ${leaked.length}
`);
for (const request of failed.slice(0, 20)) process.stdout.write(`\n${request}\n`);
if (failed.length > 0 || exitCode !== 0 || leaked.length > 0) process.exitCode = 1;
