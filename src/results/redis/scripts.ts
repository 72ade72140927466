import { longestDemandMs } from '../shared/shared-cache.ts';
import { format } from './format-version.ts';

/**
 * Lua scripts for what must happen in one step. They cannot check signatures, so that they compare and replace whole
 * texts, which the gateway has checked or signed.
 *
 * A lease counts only while it has an expiry that is not later than a leader would set it: nothing else can keep
 * followers waiting.
 */

/** Longer than any lease. */
const maxLeaseLength = 1_000;

/** How far the clock of a gateway may be ahead of Redis's. */
const maxClockSkewMs = 60_000;

/** Returns the time of Redis in µs. */
export const readTime = `
local time = redis.call('time')
return string.format('%d%06d', time[1], time[2])`;

/**
 * KEYS: lease, for followers also the awaited mark. ARGV: the longest expiry in ms, the mark, how long it lasts in ms.
 * Returns the lease or ``, and the time of Redis in µs.
 */
export const readLease = `
if KEYS[2] then redis.call('set', KEYS[2], ARGV[2], 'PX', ARGV[3]) end
local lease = redis.pcall('get', KEYS[1])
local ttl = redis.call('pttl', KEYS[1])
local time = redis.call('time')
local isCurrent = type(lease) == 'string' and #lease < ${maxLeaseLength} and ttl > 0 and ttl <= tonumber(ARGV[1])
return {isCurrent and lease or '', string.format('%d%06d', time[1], time[2])}`;

/**
 * KEYS: lease. ARGV: the lease as it was read or \`\`, the new lease, its time in ms, the longest expiry in ms. Returns 1,
 * or 0 when another gateway was faster.
 */
export const takeLease = `
local lease = redis.pcall('get', KEYS[1])
local ttl = redis.call('pttl', KEYS[1])
local isCurrent = type(lease) == 'string' and #lease < ${maxLeaseLength} and ttl > 0 and ttl <= tonumber(ARGV[4])
if isCurrent and lease ~= ARGV[1] then return 0 end
redis.call('set', KEYS[1], ARGV[2], 'PX', ARGV[3])
return 1`;

/**
 * KEYS: lease, awaited mark. ARGV: lease, its time in ms, the mark. Restores a lease that has expired. Returns 1 when
 * other gateways wait for the result.
 */
export const renew = `
local lease = redis.pcall('get', KEYS[1])
if lease and lease ~= ARGV[1] then return 0 end
redis.call('set', KEYS[1], ARGV[1], 'PX', ARGV[2])
return redis.pcall('get', KEYS[2]) == ARGV[3] and 1 or 0`;

/** KEYS: result. ARGV: its text, how long it is kept in ms. A text with a later fencing token stays. */
export const put = `
local pattern = '^${format} (%d+) '
local stored = redis.pcall('get', KEYS[1])
local later = type(stored) == 'string' and tonumber(string.match(stored, pattern) or '0') or 0
local time = redis.call('time')
if later > time[1] * 1000000 + time[2] then later = 0 end
if later > tonumber(string.match(ARGV[1], pattern)) then return 0 end
redis.call('set', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1`;

/** KEYS: lease. ARGV: lease, what followers read instead or \`\`, how long they can in ms. */
export const release = `
if redis.pcall('get', KEYS[1]) ~= ARGV[1] then return 0 end
if ARGV[2] == '' then return redis.call('del', KEYS[1]) end
redis.call('set', KEYS[1], ARGV[2], 'PX', ARGV[3])
return 1`;

/**
 * KEYS: times, records. ARGV: how many keys are kept, then the time of the latest request, the id and the record of each
 * key. A record that is older than the stored one is dropped, and so is one that claims to be from the future. Both keys
 * expire a day after the last request: the source of the data may be gone.
 */
export const recordDemand = `
if redis.call('type', KEYS[1]).ok ~= 'zset' then redis.call('del', KEYS[1]) end
if redis.call('type', KEYS[2]).ok ~= 'hash' then redis.call('del', KEYS[2]) end
local time = redis.call('time')
redis.call('zremrangebyscore', KEYS[1], time[1] * 1000 + ${maxClockSkewMs}, '+inf')
for at = 2, #ARGV, 3 do
  if redis.call('zadd', KEYS[1], 'GT', 'CH', ARGV[at], ARGV[at + 1]) == 1 then
    redis.call('hset', KEYS[2], ARGV[at + 1], ARGV[at + 2])
  end
end
local dropped = redis.call('zrange', KEYS[1], 0, -1 - ARGV[1])
for at = 1, #dropped, 1000 do
  local ids = {unpack(dropped, at, math.min(at + 999, #dropped))}
  redis.call('zrem', KEYS[1], unpack(ids))
  redis.call('hdel', KEYS[2], unpack(ids))
end
if redis.call('hlen', KEYS[2]) > 2 * ARGV[1] then redis.call('del', KEYS[2]) end
for _, key in ipairs(KEYS) do redis.call('pexpire', key, ${longestDemandMs + maxClockSkewMs}) end`;

/** KEYS: times, records. ARGV: the earliest time, how many, the longest record. Returns records, the latest first. */
export const readDemand = `
if redis.call('type', KEYS[1]).ok ~= 'zset' or redis.call('type', KEYS[2]).ok ~= 'hash' then return {} end
local records = {}
for _, id in ipairs(redis.call('zrange', KEYS[1], '+inf', ARGV[1], 'BYSCORE', 'REV', 'LIMIT', 0, ARGV[2])) do
  if redis.call('hstrlen', KEYS[2], id) <= tonumber(ARGV[3]) then
    table.insert(records, redis.call('hget', KEYS[2], id) or '')
  end
end
return records`;
