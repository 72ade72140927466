import type { Child } from './start-child.ts';
import { usageOf } from './usage-of.ts';

interface WatchOptions {
  /** The most resident memory, in bytes. */
  readonly memoryBytes: number;
  /** How many seconds it may leave a sign of life unanswered. */
  readonly silentSeconds: number;
  /** Called once before it is killed. @param reason for the log, after the words for the process */
  onKill(reason: string): void;
}

const lookEveryMs = 1_000;

/** Kills a process that takes too much memory, or whose event loop does not answer. @returns ends it */
export function watchChild(child: Child, { memoryBytes, silentSeconds, onKill }: WatchOptions): () => void {
  let silentFor = 0;
  let isLooking = false;
  const kill = (reason: string) => {
    end();
    onKill(reason);
    child.kill();
  };
  const look = async () => {
    // Looks are counted, not the time: a machine that was suspended, or has no time for this process, has none for that one.
    silentFor = child.channel.ping() ? 0 : silentFor + 1;
    if (silentFor >= silentSeconds) return kill(`did not answer for ${silentSeconds} s`);
    if (isLooking || child.pid === undefined) return;
    isLooking = true;
    const usage = await usageOf(child.pid);
    isLooking = false;
    if (isOn && usage !== undefined && usage.memoryBytes > memoryBytes)
      kill(`took ${megabytes(usage.memoryBytes)} MB of memory; it may take ${megabytes(memoryBytes)} MB`);
  };
  let isOn = true;
  const timer = setInterval(() => void look(), lookEveryMs).unref();
  const end = () => {
    isOn = false;
    clearInterval(timer);
  };
  void child.ended.then(end);
  return end;
}

const megabytes = (bytes: number) => Math.round(bytes / 1e6);
