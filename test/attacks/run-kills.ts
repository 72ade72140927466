import { openAttackedGateway } from './attacked-gateway.ts';
import { keysOfCallers, killProcesses, programs } from './kills.ts';

// `npx node test/attacks/run-kills.ts`, `npx node test/attacks/run-kills.ts <kills>`: of sandboxes, of the engine, and of either
const [kills = '50'] = process.argv.slice(2);
for (const killed of [[programs.sandbox], [programs.engine], Object.values(programs)]) {
  const gateway = await openAttackedGateway(keysOfCallers);
  const { answers, wrong, statuses, longestGapMs } = await killProcesses(gateway, Number(kills), killed);
  await gateway.close();
  process.stdout.write(`
${kills} processes of ${killed.join(' or ')} killed, ${answers} answers: ${JSON.stringify(statuses)}
wrong or foreign rows  ${wrong.length}
answer again           ${Math.round(longestGapMs)} ms after a kill at most
`);
  if (wrong.length > 0) process.exitCode = 1;
}
