interface ProgressLine {
  show(line: string): void;
  /** Removes the line. */
  end(): void;
}

/** Work that takes less time than this needs no progress line. */
const delayMs = 1_000;

/** How often the latest line is written where it cannot be rewritten in place. */
const repeatMs = 3_000;

interface ProgressOptions {
  readonly stream: Pick<NodeJS.WriteStream, 'isTTY' | 'write'>;
  /** Writes a line to the log, for streams that are not terminals. */
  readonly writeToLog: (line: string) => void;
  readonly now: () => number;
}

/** The progress of the start: one line that is rewritten in place on a terminal, and a line every few seconds elsewhere. */
export function openProgressLine({ stream, writeToLog, now }: ProgressOptions): ProgressLine {
  const openedAt = now();
  if (!stream.isTTY) return openRepeatedLine(writeToLog, openedAt, now);
  let isShown = false;
  return {
    show(line) {
      if (now() - openedAt < delayMs) return;
      isShown = true;
      stream.write(`\r\x1b[K${line}`);
    },
    end() {
      if (isShown) stream.write('\r\x1b[K');
      isShown = false;
    },
  };
}

function openRepeatedLine(
  writeToLog: ProgressOptions['writeToLog'],
  openedAt: number,
  now: () => number,
): ProgressLine {
  let latest = 'starting';
  // Also if there is nothing new: one large file may take longer than this.
  const timer = setInterval(() => {
    writeToLog(`${latest} | ${Math.round((now() - openedAt) / 1000)} s`);
  }, repeatMs);
  timer.unref();
  return {
    show(line) {
      latest = line;
    },
    end: () => clearInterval(timer),
  };
}
