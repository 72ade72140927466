import { type ChildProcess, fork } from 'node:child_process';
import { openRandom } from '../../packages/bigquery-sql/test/support/random.ts';
import type { AnsweredSql, Measured, SentSql } from './sql-engine.ts';
import { callerText } from './sql-texts.ts';

/** What became of the texts. */
export interface FuzzedSql {
  readonly texts: number;
  /** How many had each outcome: `rows`, or the code of an error. */
  readonly outcomes: Readonly<Record<string, number>>;
  /** How often a process ended by itself. */
  readonly exits: number;
  /** The texts that end a process by themselves, with how it ended. */
  readonly deadly: readonly { readonly sql: string; readonly end: string }[];
  readonly longestTurnMs: number;
  readonly peakMb: number;
}

/** How many texts are sent to the process before it has answered the first of them. */
const concurrency = 2;

/** How long one text may be without an answer, which is longer than its deadline. */
const answerMs = 60_000;

/** Sends random SQL of callers to an engine in a process of its own, which is started again when it ends. */
export const fuzzSql = (texts: number, seed: number): Promise<FuzzedSql> => {
  const random = openRandom(seed);
  return runTexts(Array.from({ length: texts }, () => () => callerText(random)));
};

/**
 * @param makers make the texts, in this order, when they are needed
 * @param timeoutMs the deadline of a text: most random ones are of no use for longer
 */
export async function runTexts(
  makers: readonly (() => string)[],
  onOutcome: (sql: string, outcome: string) => void = () => {},
  timeoutMs = 500,
): Promise<FuzzedSql> {
  const outcomes: Record<string, number> = {};
  const deadly: { sql: string; end: string }[] = [];
  let [exits, longestTurnMs, peakMb, next] = [0, 0, 0, 0];
  const onMeasured = (measured: Measured) => {
    longestTurnMs = Math.max(longestTurnMs, measured.longestTurnMs);
    peakMb = Math.max(peakMb, measured.peakMb);
  };
  const take = () => makers[next++]?.();
  const note = (sql: string, outcome: string) => {
    const code = outcome.startsWith('[') ? 'rows' : (/^\w+/.exec(outcome)?.[0] ?? outcome);
    outcomes[code] = (outcomes[code] ?? 0) + 1;
    onOutcome(sql, outcome);
  };
  while (next < makers.length) {
    const ended = await runProcess(take, concurrency, { note, onMeasured, timeoutMs });
    if (ended === undefined) break;
    exits += 1;
    // One of those without an answer has ended the process.
    for (const sql of ended.unanswered) {
      let left: string | undefined = sql;
      const takeOne = () => {
        const one = left;
        left = undefined;
        return one;
      };
      const alone = await runProcess(takeOne, 1, { note, onMeasured, timeoutMs });
      if (alone !== undefined) deadly.push({ sql, end: alone.end });
    }
  }
  return { texts: makers.length, outcomes, exits, deadly, longestTurnMs, peakMb };
}

interface Ended {
  readonly end: string;
  readonly unanswered: readonly string[];
}

interface Watch {
  readonly note: (sql: string, outcome: string) => void;
  readonly onMeasured: (measured: Measured) => void;
  readonly timeoutMs: number;
}

/** @returns how the process ended by itself; undefined if there are no more texts */
function runProcess(
  take: () => string | undefined,
  most: number,
  { note, onMeasured, timeoutMs }: Watch,
): Promise<Ended | undefined> {
  const child: ChildProcess = fork(new URL('./sql-engine.ts', import.meta.url), [String(timeoutMs)], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const waiting = new Map<number, { readonly sql: string; readonly timer: NodeJS.Timeout }>();
  let sent = 0;
  const sendNext = (): boolean => {
    const sql = take();
    if (sql === undefined) return false;
    sent += 1;
    const timer = setTimeout(() => child.kill('SIGKILL'), answerMs);
    waiting.set(sent, { sql, timer });
    child.send({ id: sent, sql } satisfies SentSql);
    return true;
  };
  return new Promise((resolve) => {
    child.on('message', (message: AnsweredSql | Measured) => {
      if (!('outcome' in message)) {
        onMeasured(message);
        // The first one shows that the engine is open.
        for (; sent < most && sendNext(); );
        if (sent === 0 && child.connected) child.disconnect();
        return;
      }
      const { sql = '', timer } = waiting.get(message.id) ?? {};
      clearTimeout(timer);
      waiting.delete(message.id);
      note(sql, message.outcome);
      if (!sendNext() && waiting.size === 0 && child.connected) child.disconnect();
    });
    child.once('exit', (code, signal) => {
      for (const { timer } of waiting.values()) clearTimeout(timer);
      const unanswered = [...waiting.values()].map(({ sql }) => sql);
      resolve(unanswered.length === 0 ? undefined : { end: signal ?? String(code), unanswered });
    });
  });
}
