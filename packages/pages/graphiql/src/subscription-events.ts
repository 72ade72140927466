import { EventReader } from '../../src/live/event-reader.ts';

/** What GraphiQL shows of an operation. */
export interface Result {
  readonly data?: Record<string, unknown> | null;
  readonly errors?: readonly { readonly message: string }[];
}

/**
 * The events of a subscription.
 *
 * @param abort of the request: GraphiQL stops reading when the user does
 * @returns undefined if its body is one answer
 */
export function eventsOf(response: Response, abort: AbortController): AsyncIterable<Result> | undefined {
  const type = response.headers.get('content-type') ?? '';
  const { body } = response;
  if (!type.startsWith('text/event-stream') || body === null) return undefined;
  const results = untilAborted(events(textsOf(body)), abort.signal);
  return {
    [Symbol.asyncIterator]: () => ({
      next: () => results.next(),
      // A generator that waits for bytes would end only with the next ones.
      return: () => {
        abort.abort();
        return Promise.resolve({ done: true, value: undefined });
      },
    }),
  };
}

async function* textsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  const reader = body.getReader();
  for (let read = await reader.read(); !read.done; read = await reader.read())
    yield decoder.decode(read.value, { stream: true });
}

/** @see GraphQL over SSE, "Distinct connections mode" */
async function* events(texts: AsyncIterable<string>): AsyncGenerator<Result> {
  const reader = new EventReader();
  for await (const text of texts) {
    for (const { type, data } of reader.read(text)) if (type === 'next') yield JSON.parse(data);
  }
}

/** GraphiQL would show the stack of an error that is thrown. */
async function* untilAborted(results: AsyncIterable<Result>, signal: AbortSignal): AsyncGenerator<Result> {
  try {
    yield* results;
  } catch {
    if (!signal.aborted) yield { errors: [{ message: 'The connection to the gateway was lost.' }] };
  }
}
