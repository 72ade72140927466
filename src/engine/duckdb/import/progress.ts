/** How far a sync has come. */
export interface ImportProgress {
  readonly rows: number;
  readonly bytes: number;
  readonly totalBytes: number;
}

const secondMs = 1000;

/** `importing 41 % | 1,234,567 rows | 131,000 rows/s | 12 s left` */
export function progressText({ rows, bytes, totalBytes }: ImportProgress, elapsedMs: number): string {
  const share = totalBytes === 0 ? 1 : Math.min(1, bytes / totalBytes);
  const speed = elapsedMs === 0 ? 0 : (rows * secondMs) / elapsedMs;
  const parts = [`importing ${Math.floor(share * 100)} %`, `${formatCount(rows)} rows`];
  if (rows > 0) parts.push(`${formatCount(Number(speed.toPrecision(3)))} rows/s`);
  if (share > 0 && share < 1) parts.push(`${timeText((elapsedMs * (1 - share)) / share)} left`);
  return parts.join(' | ');
}

const formatCount = (count: number) => Math.round(count).toLocaleString('en-US');

function timeText(ms: number): string {
  const seconds = Math.ceil(ms / secondMs);
  if (seconds < 120) return `${seconds} s`;
  return seconds < 7200 ? `${Math.ceil(seconds / 60)} min` : `${Math.ceil(seconds / 3600)} h`;
}

interface ProgressLine {
  show(progress: ImportProgress): void;
  /** Removes the line. */
  end(): void;
}

/** A line that is overwritten with each progress; only on a terminal. */
export function openProgressLine(
  stream: Pick<NodeJS.WriteStream, 'isTTY' | 'write'>,
  now: () => number,
): ProgressLine {
  const startedAt = now();
  let isShown = false;
  return {
    show(progress) {
      // An import of less than a second needs no line.
      if (!stream.isTTY || now() - startedAt < secondMs) return;
      isShown = true;
      stream.write(`\r\x1b[K${progressText(progress, now() - startedAt)}`);
    },
    end() {
      if (isShown) stream.write('\r\x1b[K');
      isShown = false;
    },
  };
}
