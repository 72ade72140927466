import type { Span, Tracer } from './span.ts';

/** A tracer whose errors are given to `onError`: what it fails to trace is answered all the same. */
export function safeTracer(tracer: Tracer, onError: (error: unknown) => void): Tracer {
  const attempt = <T>(work: () => T, otherwise: T): T => {
    try {
      return work();
    } catch (error) {
      onError(error);
      return otherwise;
    }
  };
  const safeSpan = (span: Span): Span => ({
    start: (...given) => attempt(() => safeSpan(span.start(...given)), noSpan),
    set: (attributes) => attempt(() => span.set(attributes), undefined),
    rename: (name) => attempt(() => span.rename(name), undefined),
    end: (error) => attempt(() => span.end(error), undefined),
    traceId: span.traceId,
    traceparent: span.traceparent,
  });
  return {
    startRequest: (...given) => attempt(() => safeSpan(tracer.startRequest(...given)), noSpan),
    close: () => tracer.close(),
  };
}

/** Its ids are those that are not valid: who gets them begins a trace of its own. */
const noSpan: Span = {
  start: () => noSpan,
  set: () => {},
  rename: () => {},
  end: () => {},
  traceId: '0'.repeat(32),
  traceparent: `00-${'0'.repeat(32)}-${'0'.repeat(16)}-00`,
};
