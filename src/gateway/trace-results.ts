import type { GetResult } from '../results/get-result.ts';

/** The same function, with a span around every result of a request that is traced. */
export function traceResults(getResult: GetResult): GetResult {
  return (bound, request) => {
    const { caller } = request;
    const span = caller.trace?.span?.start('result', { 'querygate.endpoint': bound.query.name });
    if (span === undefined || caller.trace === undefined) return getResult(bound, request);
    const trace = { requestId: caller.trace.requestId, span };
    // The signal is a getter, which creates the signal when it is read.
    const traced = {
      trace,
      get signal() {
        return caller.signal;
      },
    };
    const end = async () => {
      try {
        const result = await getResult(bound, { ...request, caller: traced });
        span.set({ 'querygate.cache': result.cacheStatus.toLowerCase() });
        span.end();
        return result;
      } catch (error) {
        span.end(error);
        throw error;
      }
    };
    return end();
  };
}
