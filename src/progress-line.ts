interface ProgressLine {
  show(line: string): void;
  /** Removes the line. */
  end(): void;
}

/** Work that takes less time than this needs no progress line. */
const delayMs = 1000;

/** One line that is rewritten in place on a terminal; nothing is written to other streams. */
export function openProgressLine(
  stream: Pick<NodeJS.WriteStream, 'isTTY' | 'write'>,
  now: () => number,
): ProgressLine {
  const openedAt = now();
  let isShown = false;
  return {
    show(line) {
      if (!stream.isTTY || now() - openedAt < delayMs) return;
      isShown = true;
      stream.write(`\r\x1b[K${line}`);
    },
    end() {
      if (isShown) stream.write('\r\x1b[K');
      isShown = false;
    },
  };
}
