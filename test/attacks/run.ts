import { type AttackOutcome, openAttackedGateway } from './attacked-gateway.ts';
import { furtherTexts, knownTexts } from './texts.ts';

// `npx node test/attacks/run.ts`, `npx node test/attacks/run.ts <from> <to>`: only some of the texts, by their numbers.
const [from = '0', to = '1000'] = process.argv.slice(2);
const texts = [...knownTexts, ...furtherTexts].slice(Number(from), Number(to));
const paths = ['REST', 'GraphQL'] as const;

/** What other callers may notice. */
const limits = {
  longestHealthMs: 50,
  longestHitMs: 50,
  coldMs: 2_000,
  ownBytes: 100e6,
  allBytes: 1_000e6,
} as const;

const mb = (bytes: number) => Math.round(bytes / 1e6);
const gateway = await openAttackedGateway(texts.length * paths.length);
const outcomes: AttackOutcome[] = [];
for (const text of texts) {
  for (const path of paths) {
    const outcome = await gateway.attack(text, path);
    outcomes.push(outcome);
    const failed = exceeded(outcome);
    process.stdout.write(
      `${text.kind.padEnd(12)} ${path.padEnd(8)} ${outcome.answers.join(', ').padEnd(24)} ${figures(outcome)}${failed.length > 0 ? `  EXCEEDED ${failed.join(', ')}` : ''}  ${text.sql.slice(0, 60)}\n`,
    );
  }
}
await gateway.close();

function figures(outcome: AttackOutcome): string {
  const { longestHealthMs, longestHitMs, coldMs, ownBytes, allBytes } = outcome;
  return `healthz ${Math.round(longestHealthMs)} ms, hit ${Math.round(longestHitMs)} ms, cold ${Math.round(coldMs)} ms, gateway +${mb(ownBytes)} MB, all +${mb(allBytes)} MB`;
}

function exceeded(outcome: AttackOutcome): readonly string[] {
  const names = Object.keys(limits) as (keyof typeof limits)[];
  return [...names.filter((name) => outcome[name] > limits[name]), ...(outcome.isAlive ? [] : ['alive'])];
}

const most = (name: keyof typeof limits) => Math.max(...outcomes.map((outcome) => outcome[name]));
const failed = outcomes.filter((outcome) => exceeded(outcome).length > 0);
process.stdout.write(`
${outcomes.length} attacks of ${texts.length} texts, each four times at once
gateway alive  ${outcomes.every(({ isAlive }) => isAlive)}
/healthz       ${Math.round(most('longestHealthMs'))} ms of the gateway's processor time at most
cached hits    ${Math.round(most('longestHitMs'))} ms of it at most
cold query     ${Math.round(most('coldMs'))} ms after at most
memory         gateway +${mb(most('ownBytes'))} MB, all processes +${mb(most('allBytes'))} MB at most
exceeded       ${failed.length}
`);
if (failed.length > 0) process.exitCode = 1;
