import { openLinkedAbort, untilAborted } from '../concurrency/abort.ts';
import { Slots } from '../concurrency/slots.ts';
import { callerDisconnected, GatewayError } from '../errors.ts';
import { once } from '../memoize.ts';
import type { Engine } from './engine.ts';
import { deadlineExceeded, engineClosing, queueFull } from './engine-errors.ts';
import type { EngineHost } from './engine-factory.ts';
import { optionalMembers } from './optional-members.ts';

/**
 * An engine that keeps the limits of the gateway: queries wait in one queue, in which callers take turns, and end with
 * ENGINE_TIMEOUT, or with CANCELLED if the caller disconnects or the engine closes. The engine within has to stop its work
 * when the signal of a run is aborted; what it throws, other than a GatewayError, becomes ENGINE_FAILED.
 */
export function limitRuns({ limits }: Pick<EngineHost, 'limits'>, engine: Engine): Engine {
  const { concurrency, queueLength, timeoutMs } = limits;
  const slots = new Slots(concurrency, { queueLength, overflow: queueFull });
  const closing = new AbortController();
  return {
    source: engine.source,
    ...(engine.updates && { updates: engine.updates }),
    ...optionalMembers(engine),
    async run(bound, options) {
      const timeout = { ms: timeoutMs, reason: () => deadlineExceeded(timeoutMs) };
      const { signal, release } = openLinkedAbort({ follow: [closing.signal, options.signal], timeout });
      const work = async () => {
        // It may have been aborted between its turn and this moment.
        signal.throwIfAborted();
        options.onStart?.();
        return engine.run(bound, { ...options, signal });
      };
      try {
        return await untilAborted(slots.run(signal, work, options.owner).finally(release), signal);
      } catch (error) {
        if (signal.aborted)
          throw signal.reason instanceof GatewayError ? signal.reason : callerDisconnected(error);
        if (error instanceof GatewayError) throw error;
        throw new GatewayError('ENGINE_FAILED', 'The query failed', { cause: error });
      }
    },
    close: once(() => {
      closing.abort(engineClosing());
      return engine.close();
    }),
  };
}
