import { EventReader } from '../../src/live/event-reader.ts';

/** What GraphiQL shows of an operation: an answer, or a part of one as GraphiQL merges it. */
export interface Result {
  readonly data?: Record<string, unknown> | null;
  readonly errors?: readonly { readonly message: string }[];
  /** Set for parts: whether more of them come. */
  readonly hasNext?: boolean;
}

/** Reads texts as they arrive. */
type ReadParts = (texts: AsyncIterable<string>) => AsyncGenerator<Result>;

/**
 * The parts of a response, if it has parts: those of fragments with `@defer`, and the events of a subscription.
 *
 * @param abort of the request: GraphiQL stops reading when the user does
 * @returns undefined if its body is one answer
 */
export function partsOf(response: Response, abort: AbortController): AsyncIterable<Result> | undefined {
  const type = response.headers.get('content-type') ?? '';
  const [, read] = Object.entries(readers).find(([prefix]) => type.startsWith(prefix)) ?? [];
  const { body } = response;
  if (read === undefined || body === null) return undefined;
  const parts = untilAborted(read(textsOf(body)), abort.signal);
  return {
    [Symbol.asyncIterator]: () => ({
      next: () => parts.next(),
      // A generator that waits for bytes would end only with the next ones.
      return: () => {
        abort.abort();
        return Promise.resolve({ done: true, value: undefined });
      },
    }),
  };
}

const readers: Readonly<Record<string, ReadParts>> = {
  'multipart/mixed': deferredParts,
  'text/event-stream': events,
};

async function* textsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  const reader = body.getReader();
  for (let read = await reader.read(); !read.done; read = await reader.read())
    yield decoder.decode(read.value, { stream: true });
}

/** The gateway's boundary is `-`, and its JSON has no line breaks. */
async function* deferredParts(texts: AsyncIterable<string>): AsyncGenerator<Result> {
  let kept = '\r\n';
  for await (const text of texts) {
    kept += text;
    const parts = kept.split('\r\n---');
    kept = parts.pop() ?? '';
    for (const part of parts) if (part !== '') yield JSON.parse(part.slice(part.indexOf('\r\n\r\n')));
  }
}

/** @see GraphQL over SSE, "Distinct connections mode" */
async function* events(texts: AsyncIterable<string>): AsyncGenerator<Result> {
  const reader = new EventReader();
  for await (const text of texts) {
    for (const { type, data } of reader.read(text)) if (type === 'next') yield JSON.parse(data);
  }
}

/** GraphiQL would show the stack of an error that is thrown. */
async function* untilAborted(parts: AsyncIterable<Result>, signal: AbortSignal): AsyncGenerator<Result> {
  try {
    yield* parts;
  } catch {
    if (!signal.aborted)
      yield { errors: [{ message: 'The connection to the gateway was lost.' }], hasNext: false };
  }
}
