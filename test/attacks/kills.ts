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
  /** The longest time from a kill until each caller has an answer with rows. */
  readonly longestGapMs: number;
}

const callers = 3;

/** Keys that send SQL in turn: one that has lost several processes may send none for a minute. */
export const keysOfCallers = 60;

/** The programs of the processes below the gateway. */
export const programs = { engine: 'duckdb/engine-program', sandbox: 'sandbox/program' };

/**
 * Kills processes that run some programs at random moments, while several keys send SQL and another one reads its rows,
 * neither of which is in the cache.
 */
export async function killProcesses(
  gateway: AttackedGateway,
  kills: number,
  killed: readonly string[],
  everyMs = 300,
): Promise<KillsOutcome> {
  const wrong: string[] = [];
  const statuses: Record<number, number> = {};
  let answers = 0;
  let longestGapMs = 0;
  const waiting = new Map<number, number>();
  let isOn = true;
  let texts = 0;
  const load = async (
    caller: number,
    ask: () => ReturnType<AttackedGateway['ask']>,
    isRight: (body: string) => boolean,
  ) => {
    while (isOn) {
      const { status, body } = await ask();
      answers += 1;
      statuses[status] = (statuses[status] ?? 0) + 1;
      if (status !== 200) continue;
      const killedAt = waiting.get(caller);
      if (killedAt !== undefined) longestGapMs = Math.max(longestGapMs, performance.now() - killedAt);
      waiting.delete(caller);
      if (!isRight(body)) wrong.push(body.slice(0, 200));
    }
  };
  const sendSql = () => {
    texts += 1;
    // Each text is new: it is not answered from the cache.
    return gateway.ask(
      texts % keysOfCallers,
      `select count(*) as n, min(${texts}) as t from edge_logs where event_message != 'x${texts}'`,
    );
  };
  const loads = [
    ...Array.from({ length: callers }, (_, caller) =>
      load(caller, sendSql, (body) => /^\{"result":\[\{"n":1000,"t":\d+\}\]\}$/.test(body)),
    ),
    load(callers, gateway.rows, (body) => {
      const { result } = JSON.parse(body) as { result: { id: string }[] };
      // The rows of the other tenant have even numbers.
      return result.length === 100 && result.every(({ id }) => Number(id.split('-').at(-1)) % 2 === 1);
    }),
  ];
  let count = 0;
  while (count < kills) {
    await sleep(Math.random() * 2 * everyMs);
    const { below } = memoryOf(gateway.pid);
    const found = killed.flatMap((program) => running(below, program));
    const pid = found[Math.floor(Math.random() * found.length)];
    if (pid === undefined) continue;
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      continue;
    }
    for (let caller = 0; caller <= callers; caller += 1) waiting.set(caller, performance.now());
    count += 1;
    while (waiting.size > 0) await sleep(10);
  }
  isOn = false;
  await Promise.all(loads);
  return { kills: count, answers, wrong, statuses, longestGapMs };
}
