import type { Logger } from 'pino';
import type { Catalog } from '../catalog/model/saved-query.ts';
import type { Clock } from '../concurrency/clock.ts';
import type { Closers } from '../concurrency/closers.ts';
import { hasFunctions } from '../config/option-rules.ts';
import { StartError } from '../errors.ts';
import { type Callers, joinSources } from '../keys/join-sources.ts';
import type { KeyHost, OpenKeys } from '../keys/key-source.ts';
import type { HideEndpoints } from '../keys/principal.ts';
import { newLocalRateLimit } from '../keys/rates/rate-limiter.ts';
import { keyFunction } from '../keys/sources/key-function.ts';
import type { Keys } from './options.ts';
import type { SharedStore } from '../results/shared/shared-store.ts';

interface CallersOptions {
  readonly keys: Keys;
  readonly shared: SharedStore | undefined;
  readonly catalog: Catalog;
  readonly hideEndpoints: HideEndpoints;
  readonly log: Logger;
  readonly clock: Clock;
}

/** Who may call, and how often. */
export interface OpenCallers extends Callers {
  /** Resolves when the first attempt to connect to the rates that gateways share has succeeded or failed. */
  readonly ready: Promise<void> | undefined;
}

/** @throws StartError with every problem of the first source that has some; `closers` has what is open then */
export async function openCallers(
  { keys, shared, log, clock, ...options }: CallersOptions,
  closers: Closers,
): Promise<OpenCallers> {
  const sources = typeof keys === 'function' || 'open' in keys ? [keys] : keys;
  if (sources.length === 0) throw new StartError('The gateway cannot start', [{ message: noKeys }]);
  const hasRates = sources.some((one) => typeof one === 'function' || one.isUnlimited !== true);
  const rates = hasRates ? await shared?.openRates(log, clock.elapsedMs) : undefined;
  const host: KeyHost = {
    ...options,
    newRateLimit: rates?.newRateLimit ?? newLocalRateLimit,
    log,
    now: clock.now,
  };
  if (rates !== undefined) closers.push(rates.close);
  const opened: OpenKeys[] = [];
  for (const [at, source] of sources.entries()) {
    const open = await (typeof source === 'function' ? keyFunction(source) : source).open(host);
    closers.push(() => open?.close?.());
    if (!hasFunctions(open, 'find')) {
      const message = `keys: entry ${at + 1}: open must give an object with a function find`;
      throw new StartError('The gateway cannot start', [{ message }]);
    }
    opened.push(open);
  }
  return { ...joinSources(opened), ready: rates?.ready };
}

const noKeys = 'keys: is empty; give a key file, a key, or a function of the request';
