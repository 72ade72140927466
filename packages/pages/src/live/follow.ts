import { GatewayError } from '../gateway.ts';
import { type JsonObject, parseJson } from '../json.ts';
import { problemText } from '../words.ts';
import { EventReader, type StreamEvent } from './event-reader.ts';
import { applyPatch, compareRows, type RowChange, type RowPatch } from './row-change.ts';

/** Of the connection, while a result is followed. */
export type LiveState =
  | { readonly kind: 'connecting' | 'live' | 'paused' }
  | { readonly kind: 'waiting'; readonly reason: string; readonly seconds: number }
  /** For good. */
  | { readonly kind: 'ended'; readonly reason: string };

/** Rows, and the ETag by which the gateway knows them. */
export interface KnownRows {
  readonly etag: string | undefined;
  readonly rows: readonly JsonObject[];
}

interface FollowOptions {
  readonly known: KnownRows;
  /** Columns whose values distinguish rows. */
  readonly rowKey: readonly string[];
  /** Opens a stream of events, which begins with the rows if they have another ETag. */
  connect(etag: string | undefined, signal: AbortSignal): Promise<ReadableStream<Uint8Array>>;
  /** The next event is read when these rows are shown: the gateway skips those in between. */
  onChange(change: RowChange, etag: string | undefined): Promise<void>;
  /** There are no newer rows, for this reason. */
  onFailure(message: string): void;
  onState(state: LiveState): void;
}

/** The gateway writes something every ten seconds. */
const maxSilenceMs = 30_000;

const [firstWaitSeconds, maxWaitSeconds] = [1, 30];

/** Follows a result until it is closed, or the stream ends for good; not while the page is hidden. @returns what closes it */
export function follow(options: FollowOptions): () => void {
  const following = new Following(options);
  following.begin();
  return () => following.close();
}

class Following {
  readonly #options: FollowOptions;
  #known: KnownRows;
  /** Of attempts since something was read. */
  #failures = 0;
  #connection: AbortController | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: FollowOptions) {
    this.#options = options;
    this.#known = options.known;
  }

  begin(): void {
    document.addEventListener('visibilitychange', this.#pauseOrResume);
    this.#pauseOrResume();
  }

  close(): void {
    this.#stop();
    document.removeEventListener('visibilitychange', this.#pauseOrResume);
  }

  #stop(): void {
    clearTimeout(this.#timer);
    this.#connection?.abort();
    this.#connection = undefined;
  }

  readonly #pauseOrResume = (): void => {
    this.#stop();
    if (document.hidden) this.#options.onState({ kind: 'paused' });
    else void this.#open();
  };

  #end(reason: string): void {
    this.close();
    this.#options.onState({ kind: 'ended', reason });
  }

  #wait(reason: string, seconds: number): void {
    this.#stop();
    this.#options.onState({ kind: 'waiting', reason, seconds });
    this.#timer = setTimeout(() => void this.#open(), seconds * 1000);
  }

  async #open(): Promise<void> {
    const mine = new AbortController();
    this.#connection = mine;
    this.#options.onState({ kind: 'connecting' });
    const reader = new EventReader();
    try {
      const ended = await this.#read(reader, mine);
      if (this.#connection !== mine) return;
      if (ended !== undefined && ended.code !== 'SHUTTING_DOWN') this.#end(reasonOf(ended));
      else
        this.#wait(
          ended === undefined ? lost : 'The gateway is ending.',
          roundedSeconds(reader.retryMs) ?? this.#nextWait(),
        );
    } catch (error) {
      if (this.#connection !== mine) return;
      const refused = error instanceof GatewayError ? error : undefined;
      if (error instanceof RangeError || isFinal(refused)) this.#end(problemText(error));
      else this.#wait(refused?.message ?? lost, refused?.retryAfterSeconds ?? this.#nextWait());
    }
  }

  /** @returns the reason of the gateway, if the stream had an end */
  async #read(reader: EventReader, mine: AbortController): Promise<End | undefined> {
    const { connect, onState } = this.#options;
    const silence = watchSilence(mine);
    try {
      const stream = (await connect(this.#known.etag, mine.signal)).pipeThrough(
        new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>,
      );
      onState({ kind: 'live' });
      const parts = stream.getReader();
      for (;;) {
        silence.begin();
        const { done, value } = await parts.read();
        silence.stop();
        if (done || this.#connection !== mine) return undefined;
        this.#failures = 0;
        for (const event of reader.read(value)) {
          if (event.type === 'end') return parseJson(event.data) as unknown as End;
          await this.#take(event);
          if (this.#connection !== mine) return undefined;
        }
      }
    } finally {
      silence.stop();
      mine.abort();
    }
  }

  async #take({ type, id, data }: StreamEvent): Promise<void> {
    const { onFailure, onChange } = this.#options;
    if (type === 'error') {
      const { error } = parseJson(data) as unknown as { error?: string | { message: string } };
      onFailure(typeof error === 'string' ? error : (error?.message ?? ''));
      return;
    }
    const change = this.#changeOf(type, data);
    if (change === undefined) return;
    this.#known = { etag: id, rows: change.rows };
    await onChange(change, id);
  }

  #changeOf(type: string, data: string): RowChange | undefined {
    if (type === 'next') {
      const { result } = parseJson(data) as unknown as { result: readonly JsonObject[] };
      return compareRows(this.#known.rows, result, this.#options.rowKey);
    }
    if (type !== 'patch') return undefined;
    const patch = parseJson(data) as unknown as RowPatch;
    if (patch.from === this.#known.etag) return applyPatch(this.#known.rows, patch);
    // The next connection begins with all rows.
    this.#known = { ...this.#known, etag: undefined };
    throw new TypeError('a patch of other rows');
  }

  /** Not all clients at once. */
  #nextWait(): number {
    const seconds = Math.min(firstWaitSeconds * 2 ** this.#failures, maxWaitSeconds);
    this.#failures += 1;
    return Math.ceil(seconds * (0.5 + Math.random() / 2));
  }
}

const lost = 'The connection was lost.';

interface End {
  readonly code: string;
  readonly message: string;
}

const reasons: Readonly<Record<string, string>> = {
  KEY_REVOKED: 'the key does not permit this any more',
  TOKEN_EXPIRED: 'the key or the token has expired',
  QUERY_CHANGED: 'the saved query was changed or removed; load this page again',
};

const reasonOf = ({ code, message }: End): string => `Ended: ${reasons[code] ?? message} (${code}).`;

/** The same request would be refused again. */
const isFinal = (error: GatewayError | undefined): boolean =>
  error !== undefined && error.status >= 400 && error.status < 500 && ![408, 429].includes(error.status);

const roundedSeconds = (ms: number | undefined) => (ms === undefined ? undefined : Math.ceil(ms / 1000));

/** Ends a connection in which nothing arrives, as after a change of the network. */
function watchSilence(connection: AbortController) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const begin = () => {
    timer = setTimeout(() => connection.abort(), maxSilenceMs);
  };
  begin();
  return {
    begin() {
      clearTimeout(timer);
      begin();
    },
    stop: () => clearTimeout(timer),
  };
}
