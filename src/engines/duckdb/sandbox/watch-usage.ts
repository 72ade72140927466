import { usageOf } from '../../../process/usage-of.ts';

/** The resource of which a text used too much. */
export type Excess = 'memory' | 'processor time';

interface UsageLimits {
  /** Beyond what the process has without a text. */
  readonly memoryBytes: number;
  readonly processorMs: number;
}

/** The time that a text has used since the last look. */
export interface UsedTime {
  readonly clockMs: number;
  /** undefined where the system does not say it. */
  readonly processorMs: number | undefined;
}

interface UsageEvents {
  onUse(used: UsedTime): void;
  /** Called once. */
  onExcess(excess: Excess): void;
}

const lookEveryMs = 50;

/**
 * Looks at what a process uses while it runs a text, and reports it, and when it is too much.
 *
 * @param idleBytes what the process had before its first text
 * @returns `end` stops looking, and says whether the process has kept so much memory that it is of no further use
 */
export function watchUsage(
  pid: number | undefined,
  idleBytes: number,
  { memoryBytes, processorMs }: UsageLimits,
  { onUse, onExcess }: UsageEvents,
): { end(): Promise<boolean> } {
  let isOn = pid !== undefined;
  let startedAtMs: number | undefined;
  let seenMs: number | undefined;
  const beganAt = performance.now();
  let seenAt = beganAt;
  const report = (processorMs: number | undefined) => {
    const now = performance.now();
    onUse({ clockMs: now - seenAt, processorMs });
    seenAt = now;
  };
  const look = async () => {
    const usage = await usageOf(pid ?? 0);
    if (!isOn) return;
    // The next look may succeed: none is possible for a moment when no file can be opened.
    if (usage === undefined) return lookLater();
    startedAtMs ??= usage.processorMs;
    const usedMs = (usage.processorMs ?? 0) - (startedAtMs ?? 0);
    report(usage.processorMs === undefined ? undefined : usage.processorMs - (seenMs ?? usage.processorMs));
    seenMs = usage.processorMs;
    if (!isOn) return;
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
      report(undefined);
      // Short texts take little, and the next one is not to wait.
      if (performance.now() - beganAt < lookEveryMs) return false;
      const usage = await usageOf(pid ?? 0);
      return usage !== undefined && usage.memoryBytes > idleBytes + memoryBytes / 2;
    },
  };
}
