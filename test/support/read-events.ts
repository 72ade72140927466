/** One event of a stream; a comment has no fields. */
export interface ReadEvent {
  readonly event?: string;
  readonly id?: string;
  readonly retry?: string;
  readonly data?: string;
}

export interface EventReader {
  /** The next event that is no comment; undefined at the end of the stream. */
  next(): Promise<ReadEvent | undefined>;
  /** What has arrived until now and was not read: events, and `:` for comments. */
  arrived(): readonly (ReadEvent | ':')[];
  /** Stops reading. */
  cancel(): Promise<void>;
}

/** Reads a stream of events as the specification of HTML describes it. */
export function readEvents(response: Response): EventReader {
  const { body } = response;
  if (body === null) throw new Error('a response without a body');
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  const events: (ReadEvent | ':')[] = [];
  let rest = '';
  let isOver = false;
  let wake = () => {};
  const read = async () => {
    try {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        const parts = (rest + value).split('\n\n');
        rest = parts.pop() ?? '';
        events.push(...parts.map(parseEvent));
        wake();
      }
    } catch {
      // The stream was cut.
    }
    isOver = true;
    wake();
  };
  void read();
  return {
    async next() {
      for (;;) {
        const event = events.shift();
        if (event !== undefined && event !== ':') return event;
        if (event === undefined && isOver) return undefined;
        if (event !== undefined) continue;
        const { promise, resolve } = Promise.withResolvers<void>();
        wake = resolve;
        await promise;
      }
    },
    arrived: () => events.splice(0),
    cancel: () => reader.cancel(),
  };
}

function parseEvent(text: string): ReadEvent | ':' {
  const lines = text.split('\n').filter((line) => !line.startsWith(':'));
  if (lines.length === 0) return ':';
  const fields: Record<string, string> = {};
  for (const line of lines) {
    const at = line.indexOf(':');
    const name = line.slice(0, at);
    const value = line.slice(at + 1).replace(/^ /, '');
    fields[name] = fields[name] === undefined ? value : `${fields[name]}\n${value}`;
  }
  return fields;
}
