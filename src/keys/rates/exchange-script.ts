import { windowMs } from './rate-limiter.ts';
import type { RateDemand, RateGrant } from './shared-rate-limiter.ts';

/** The part of what is left that a gateway may have counted beforehand. */
const reservedPart = 1 / 16;

/**
 * KEYS: the limits. ARGV, six for each: see `demandArguments`; times in µs. Returns two numbers for each: how many requests
 * were counted, and how long it takes until the whole limit is available again, in µs.
 *
 * The state of a limit is the moment at which all of it will be available again, by the clock of Redis: the clocks of
 * gateways do not matter. It expires at that moment. Whatever else is stored there keeps callers out for a minute at most.
 */
export const exchangeScript = `
local time = redis.call('time')
local now, window = time[1] * 1000000 + time[2], ${windowMs * 1000}
local replies = {}
for at, key in ipairs(KEYS) do
  local argument = function (number) return tonumber(ARGV[6 * (at - 1) + number]) end
  local interval, needed, expected = argument(1), argument(2), argument(3)
  local stored = tonumber(redis.pcall('get', key))
  local fullAt = stored and stored + argument(5) or now + argument(6)
  if not (fullAt > now) then fullAt = now end
  fullAt = math.max(math.min(fullAt, now + window) - argument(4), now)
  local free = math.max(math.floor((now + window - fullAt) / interval + 0.000001), 0)
  local granted = math.min(needed, free)
  granted = granted + math.min(expected, math.floor((free - granted) * ${reservedPart}))
  fullAt = fullAt + granted * interval
  if fullAt > now then
    redis.call('set', key, string.format('%.3f', fullAt), 'PX', math.ceil((fullAt - now) / 1000))
  elseif stored then
    redis.call('del', key)
  end
  table.insert(replies, granted)
  table.insert(replies, math.floor(fullAt - now))
end
return replies`;

export function demandArguments(demand: RateDemand): readonly string[] {
  const { intervalMs, needed, expected, unusedMs, owedMs, knownMs } = demand;
  return [
    String(intervalMs * 1000),
    String(needed),
    String(expected),
    wholeMicros(unusedMs),
    wholeMicros(owedMs),
    wholeMicros(knownMs),
  ];
}

/** Fractions are long texts, of which a command may have thousands. */
const wholeMicros = (ms: number) => String(Math.round(ms * 1000));

/** The reply to each of so many demands; undefined if it is not a reply of the script. */
export function parseGrants(reply: unknown, count: number): readonly RateGrant[] | undefined {
  if (!Array.isArray(reply) || reply.length !== 2 * count) return undefined;
  const numbers = reply.map(Number);
  if (numbers.some(Number.isNaN)) return undefined;
  return Array.from({ length: count }, (_, at) => ({
    granted: numbers[2 * at] ?? 0,
    usedMs: (numbers[2 * at + 1] ?? 0) / 1000,
  }));
}
