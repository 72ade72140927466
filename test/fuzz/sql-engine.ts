import { openWorld } from '../engines/sandbox/world.ts';

/** A caller's SQL, to a process of `openSqlEngine`. */
export interface SentSql {
  readonly id: number;
  readonly sql: string;
}

/** What the process says of one text. */
export interface AnsweredSql {
  readonly id: number;
  /** The rows, or the code and the text of the error. */
  readonly outcome: string;
}

/** A measurement of the process, at each of its intervals: the shortest turn that it sees. */
export interface Measured {
  /** The most processor time that the main thread has used between two intervals, in ms: about that of a turn. */
  readonly longestTurnMs: number;
  /** The largest memory of the process, in MB. */
  readonly peakMb: number;
}

const intervalMs = 20;

const send = (message: AnsweredSql | Measured) => process.send?.(message);
const world = await openWorld({ others: true, timeoutMs: Number(process.argv[2]) });

let longestTurnMs = 0;
let usedBefore = process.threadCpuUsage();
setInterval(() => {
  const used = process.threadCpuUsage(usedBefore);
  usedBefore = process.threadCpuUsage();
  longestTurnMs = Math.max(longestTurnMs, (used.user + used.system) / 1_000);
  send({ longestTurnMs, peakMb: Math.round(process.resourceUsage().maxRSS / 1_000) });
}, intervalMs);

process.on('message', async ({ id, sql }: SentSql) => send({ id, outcome: await world.run(sql) }));
process.on('disconnect', () => process.exit());
