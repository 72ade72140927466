export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** One step of a request, with its time. Spans below it are its parts. */
export interface Span {
  /** @param kind client: a call to another service */
  start(name: string, attributes?: Attributes, kind?: 'internal' | 'client'): Span;
  set(attributes: Attributes): void;
  /** For a name that is known only when the step has ended. */
  rename(name: string): void;
  /** @param error what the step failed with */
  end(error?: unknown): void;
  readonly traceId: string;
  /** The header with which a call to another service continues the trace. @see https://www.w3.org/TR/trace-context/ */
  readonly traceparent: string;
}

/** The ids of a request in logs and traces. */
export interface RequestTrace {
  /** The caller's X-Request-ID, or one that was made. */
  readonly requestId: string;
  /** undefined if no traces are exported. */
  readonly span: Span | undefined;
}

/** Makes the first span of each request. */
export interface Tracer {
  /** @param headers of the request, whose `traceparent` names the caller's span */
  startRequest(
    name: string,
    headers: Readonly<Record<string, string | undefined>>,
    attributes: Attributes,
  ): Span;
  /** Exports what has not been exported yet. */
  close(): Promise<void>;
}

/** Does some work within a span below another. Most requests have no span: then it is only the work. */
export function withSpan<T>(
  parent: Span | undefined,
  name: string,
  work: (span: Span | undefined) => Promise<T>,
  attributes?: Attributes,
  kind?: 'internal' | 'client',
): Promise<T> {
  if (parent === undefined) return work(undefined);
  const span = parent.start(name, attributes, kind);
  return work(span).then(
    (result) => {
      span.end();
      return result;
    },
    (error: unknown) => {
      span.end(error);
      throw error;
    },
  );
}
