import { element } from '../element.ts';
import type { Caching } from '../endpoint.ts';
import { durationText } from '../words.ts';

export interface AutoRefresh {
  readonly element: HTMLElement;
  /** Rows arrived: a refresh is due when the gateway has newer ones. */
  succeeded(ageSeconds: number): void;
  /** @param retryAfterSeconds when the gateway takes the request again, if it is known */
  failed(retryAfterSeconds: number | undefined): void;
  /** Until `succeeded` or `failed`: a request is on its way. */
  stop(): void;
}

/** Apart by the kind of caching: a refresh costs a run if results are not cached. */
const storageName = (caching: Caching | undefined) =>
  `querygate:refresh:${caching === undefined ? 'uncached' : caching.warming === undefined ? 'cached' : 'warmed'}`;

/** The interval for rows that the gateway does not keep. */
const uncachedSeconds = 60;

/** The gateway needs a moment to have the newer rows. */
const marginSeconds = 2;

/** The shortest interval: for rows that the gateway should have refreshed already. */
const minSeconds = 30;

/** `setTimeout` fires at once if the delay is longer than 2^31 − 1 ms. */
const maxDelayMs = 2_000_000_000;

/**
 * Requests the rows again in step with the cache, but not while the page is hidden.
 *
 * @param isInFrame true where people cannot switch it: it is on if it costs no run of its own, whatever they have chosen on
 *   other pages
 */
export function buildAutoRefresh(
  caching: Caching | undefined,
  refresh: () => void,
  isInFrame = false,
): AutoRefresh {
  const everySeconds = caching?.warming ?? caching?.ttl ?? uncachedSeconds;
  const box = element('input', { type: 'checkbox', id: 'auto-refresh' });
  box.checked = isInFrame
    ? caching !== undefined
    : (remembered(storageName(caching)) ?? caching?.warming !== undefined);
  const why = caching === undefined ? 'each time the query runs' : 'when the gateway has newer rows';
  const text = ` Refresh every ${durationText(everySeconds)}, ${why}`;
  /** By `performance.now()`: a clock that is set does not change it. */
  let dueAt: number | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const schedule = () => {
    clearTimeout(timer);
    if (dueAt === undefined || !box.checked || document.hidden) return;
    timer = setTimeout(
      () => {
        dueAt = undefined;
        refresh();
      },
      Math.min(Math.max(dueAt - performance.now(), 0), maxDelayMs),
    );
  };
  const dueIn = (seconds: number) => {
    dueAt = performance.now() + Math.max(seconds, Math.min(minSeconds, everySeconds)) * 1000;
    schedule();
  };
  box.addEventListener('change', () => {
    remember(storageName(caching), box.checked);
    schedule();
  });
  document.addEventListener('visibilitychange', schedule);
  return {
    element: element('label', { for: box.id }, box, text),
    succeeded: (ageSeconds) => dueIn(everySeconds - ageSeconds + marginSeconds),
    failed: (retryAfterSeconds) => dueIn(retryAfterSeconds ?? Math.min(everySeconds, uncachedSeconds)),
    stop() {
      dueAt = undefined;
      clearTimeout(timer);
    },
  };
}

function remembered(name: string): boolean | undefined {
  try {
    const text = localStorage.getItem(name);
    return text === null ? undefined : text === 'on';
  } catch {
    return undefined;
  }
}

function remember(name: string, isOn: boolean): void {
  try {
    localStorage.setItem(name, isOn ? 'on' : 'off');
  } catch {
    // It then holds for this page only.
  }
}
