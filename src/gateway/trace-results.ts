import type { GetResult } from '../results/get-result.ts';
import { type Span, withSpan } from '../trace/span.ts';

/** The same function, with a span around every result of a request that is traced. */
export const traceResults =
  (getResult: GetResult): GetResult =>
  (bound, request) => {
    const { caller } = request;
    const { trace } = caller;
    if (trace?.span === undefined) return getResult(bound, request);
    const traced = async (span: Span | undefined) => {
      // The signal is a getter, which creates the signal when it is read.
      const tracedCaller = {
        trace: { requestId: trace.requestId, span },
        get signal() {
          return caller.signal;
        },
      };
      const result = await getResult(bound, { ...request, caller: tracedCaller });
      span?.set({ 'querygate.cache': result.cacheStatus.toLowerCase() });
      return result;
    };
    return withSpan(trace.span, 'result', traced, { 'querygate.endpoint': bound.query.name });
  };
