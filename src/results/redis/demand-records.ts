import { read } from '../../redis/reply-watch.ts';
import type { SharedCache, SharedTime } from '../shared/shared-cache.ts';
import type { CacheCrypto } from './cache-crypto.ts';
import type { RunScript } from './lease-commands.ts';
import * as scripts from './scripts.ts';

/** When callers requested keys, as `SharedCache` has it. */
export type DemandRecords = Pick<SharedCache, 'recordDemand' | 'demandSince'>;

interface DemandOptions {
  readonly run: RunScript;
  readonly crypto: CacheCrypto;
  readonly time: SharedTime;
  /** @returns undefined for a moment in the future */
  readonly elapsedAt: (moment: number) => number | undefined;
  /** How many keys' demand is kept. */
  readonly limit: number;
  /** The data that the keys are over: others have as many. */
  readonly source: string;
}

/** Longer than the record of any key that is kept warm. */
const maxRecordLength = 16_384;

/** Records of demand in Redis: encrypted, because a key contains the values of parameters. */
export function buildDemandRecords({
  run,
  crypto,
  time,
  elapsedAt,
  limit,
  source,
}: DemandOptions): DemandRecords {
  const nameOf = (kind: string) => crypto.nameOf('demand', `${kind} ${source}`);
  const keys = [nameOf('times'), nameOf('records')];
  return {
    async recordDemand(requestedAt) {
      if (requestedAt.size === 0) return;
      const records = [...requestedAt].flatMap(([key, elapsedMs]) => {
        const moment = time.momentAt(elapsedMs);
        // The time is encrypted with the key: a record that was copied and put back later does not become newer.
        return [String(moment), crypto.nameOf('demand', key), crypto.encrypt(`${moment} ${key}`)];
      });
      await run(scripts.recordDemand, keys, [String(limit), ...records]);
    },
    async demandSince(elapsedMs) {
      const since = time.momentAt(elapsedMs);
      const args = [String(since), String(limit), String(maxRecordLength)];
      const records = await run(scripts.readDemand, keys, args, read);
      const known = (Array.isArray(records) ? records : []).flatMap((record) => {
        // Foreign text has no parts.
        const { ms, key } =
          /^(?<ms>\d{1,16}) (?<key>.*)$/s.exec(crypto.decrypt(String(record)) ?? '')?.groups ?? {};
        const requestedAt = elapsedAt(Number(ms));
        if (key === undefined || requestedAt === undefined || requestedAt < elapsedMs) return [];
        return [[key, requestedAt] as const];
      });
      return new Map(known);
    },
  };
}
