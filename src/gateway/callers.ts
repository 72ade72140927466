import type { Logger } from 'pino';
import type { Catalog } from '../catalog/model/saved-query.ts';
import { StartError } from '../errors.ts';
import { type Callers, joinSources } from '../keys/join-sources.ts';
import type { KeyHost, OpenKeys } from '../keys/key-source.ts';
import type { HideEndpoints } from '../keys/principal.ts';
import { newLocalRateLimit } from '../keys/rates/rate-limiter.ts';
import { keyFunction } from '../keys/sources/key-function.ts';
import type { Keys, SharedStore } from './options.ts';

interface CallersOptions {
  readonly keys: Keys;
  readonly shared: SharedStore | undefined;
  readonly catalog: Catalog;
  readonly hideEndpoints: HideEndpoints;
  readonly log: Logger;
  readonly now: () => Date;
}

/** Who may call, and how often. */
export interface OpenCallers extends Callers {
  /** Resolves when the first attempt to connect to the rates that gateways share has succeeded or failed. */
  readonly ready: Promise<void> | undefined;
}

/** @throws StartError with every problem of the first source that has some */
export async function openCallers({
  keys,
  shared,
  log,
  now,
  ...options
}: CallersOptions): Promise<OpenCallers> {
  const sources = typeof keys === 'function' || 'open' in keys ? [keys] : keys;
  if (sources.length === 0) throw new StartError('The gateway cannot start', [{ message: noKeys }]);
  const hasRates = sources.some((one) => typeof one === 'function' || one.isUnlimited !== true);
  const rates = hasRates ? await shared?.openRates(log, now) : undefined;
  const host: KeyHost = { ...options, newRateLimit: rates?.newRateLimit ?? newLocalRateLimit, log, now };
  const opened: OpenKeys[] = [];
  const close = async () => {
    for (const one of opened) await one.close?.();
    await rates?.close();
  };
  try {
    for (const one of sources) {
      opened.push(await (typeof one === 'function' ? keyFunction(one) : one).open(host));
    }
  } catch (error) {
    await close();
    throw error;
  }
  return { ...joinSources(opened), ready: rates?.ready, close };
}

const noKeys = 'keys: is empty; give a key file, a key, or a function of the request';
