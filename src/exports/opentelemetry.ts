/** Traces. @module */
export { openTracer } from '../trace/open-tracer.ts';
export type { Tracer } from '../trace/span.ts';
