import { setTimeout as sleep } from 'node:timers/promises';
import type { AttackedGateway } from './attacked-gateway.ts';
import { memoryOf, running } from './process-tree.ts';

/** What callers have noticed of the kills. */
export interface KillsOutcome {
  readonly kills: number;
  readonly answers: number;
  /** Answers with other rows than those of the tenant. */
  readonly wrong: readonly string[];
  /** Answers by their status. */
  readonly statuses: Readonly<Record<number, number>>;
  /** The longest time from a kill to the next answer with rows. */
  readonly longestGapMs: number;
}

const callers = 3;

/** Kills processes of sandboxes at random moments while several keys send SQL. */
export async function killSandboxes(
  gateway: AttackedGateway,
  kills: number,
  everyMs = 300,
): Promise<KillsOutcome> {
  const wrong: string[] = [];
  const statuses: Record<number, number> = {};
  let answers = 0;
  let longestGapMs = 0;
  let killedAt: number | undefined;
  let isOn = true;
  let texts = 0;
  const load = async (caller: number) => {
    while (isOn) {
      texts += 1;
      // Each text is new: it is not answered from the cache.
      const { status, body } = await gateway.ask(
        caller,
        `select count(*) as n, min(${texts}) as t from edge_logs where event_message != 'x${texts}'`,
      );
      answers += 1;
      statuses[status] = (statuses[status] ?? 0) + 1;
      if (status !== 200) continue;
      if (killedAt !== undefined) longestGapMs = Math.max(longestGapMs, performance.now() - killedAt);
      killedAt = undefined;
      if (!/^\{"result":\[\{"n":1000,"t":\d+\}\]\}$/.test(body)) wrong.push(body);
    }
  };
  const loads = Array.from({ length: callers }, (_, caller) => load(caller));
  let killed = 0;
  while (killed < kills) {
    await sleep(Math.random() * 2 * everyMs);
    const sandboxes = running(memoryOf(gateway.pid).below, 'sandbox/program');
    const pid = sandboxes[Math.floor(Math.random() * sandboxes.length)];
    if (pid === undefined) continue;
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      continue;
    }
    killedAt = performance.now();
    killed += 1;
    while (killedAt !== undefined) await sleep(10);
  }
  isOn = false;
  await Promise.all(loads);
  return { kills: killed, answers, wrong, statuses, longestGapMs };
}
