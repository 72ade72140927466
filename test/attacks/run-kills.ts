import { openAttackedGateway } from './attacked-gateway.ts';
import { killSandboxes } from './kills.ts';

// `npm run attacks:kills`, `npm run attacks:kills -- <kills>`
const [kills = '50'] = process.argv.slice(2);
const gateway = await openAttackedGateway(3);
const { answers, wrong, statuses, longestGapMs } = await killSandboxes(gateway, Number(kills));
await gateway.close();
process.stdout.write(`
${kills} processes of sandboxes killed, ${answers} answers: ${JSON.stringify(statuses)}
wrong or foreign rows  ${wrong.length}
answer again           ${Math.round(longestGapMs)} ms after a kill at most
`);
if (wrong.length > 0) process.exitCode = 1;
