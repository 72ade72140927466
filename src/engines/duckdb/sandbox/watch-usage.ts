import { usageOf } from '../../../process/usage-of.ts';

/** What a text took too much of. */
export type Excess = 'memory' | 'processor time';

interface UsageLimits {
  /** Beyond what the process has without a text. */
  readonly memoryBytes: number;
  readonly processorMs: number;
}

const lookEveryMs = 50;

/**
 * Looks at what a process uses while it runs a text, and calls back once when that is too much.
 *
 * @param idleBytes what the process had before its first text
 * @returns `end` stops looking, and says whether the process has kept so much memory that it is of no further use
 */
export function watchUsage(
  pid: number | undefined,
  idleBytes: number,
  { memoryBytes, processorMs }: UsageLimits,
  onExcess: (excess: Excess) => void,
): { end(): Promise<boolean> } {
  let isOn = pid !== undefined;
  let startedAtMs: number | undefined;
  const beganAt = performance.now();
  const look = async () => {
    const usage = await usageOf(pid ?? 0);
    if (!isOn) return;
    // The next look may succeed: none is possible for a moment when no file can be opened.
    if (usage === undefined) return lookLater();
    startedAtMs ??= usage.processorMs;
    const usedMs = (usage.processorMs ?? 0) - (startedAtMs ?? 0);
    if (usage.memoryBytes > idleBytes + memoryBytes) exceed('memory');
    else if (usedMs > processorMs) exceed('processor time');
    else lookLater();
  };
  const exceed = (excess: Excess) => {
    isOn = false;
    onExcess(excess);
  };
  let timer: NodeJS.Timeout | undefined;
  const lookLater = () => {
    timer = setTimeout(() => void look(), lookEveryMs).unref();
  };
  lookLater();
  return {
    async end() {
      isOn = false;
      clearTimeout(timer);
      // Short texts take little, and the next one is not to wait.
      if (performance.now() - beganAt < lookEveryMs) return false;
      const usage = await usageOf(pid ?? 0);
      return usage !== undefined && usage.memoryBytes > idleBytes + memoryBytes / 2;
    },
  };
}
