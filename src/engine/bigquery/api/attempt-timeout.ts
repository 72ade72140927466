import { explainSilence } from './errors.ts';

/** A signal for one call: aborted with the given one, and when its own time is over. */
export interface Patience {
  readonly signal: AbortSignal;
  /** Lets go of the timer and of the given signal. */
  release(): void;
}

export function openPatience(ms: number, until: AbortSignal): Patience {
  const controller = new AbortController();
  const follow = () => controller.abort(until.reason);
  if (until.aborted) follow();
  until.addEventListener('abort', follow, { once: true });
  const timer = setTimeout(() => controller.abort(explainSilence()), ms);
  return {
    signal: controller.signal,
    release() {
      clearTimeout(timer);
      until.removeEventListener('abort', follow);
    },
  };
}
