import { format } from './entry-codec.ts';

/**
 * Lua scripts for what must happen in one step. A lease is `working <fencing token>` or `failed <fencing token> <error>`;
 * anything else in its place, and a lease without an expiry, counts as no lease.
 */

/**
 * KEYS: lease. ARGV: lease time in ms, `steal` or ``. Returns {role, fencing token}; a new token is the time of Redis
 * in µs.
 */
export const acquire = `
local lease = redis.pcall('get', KEYS[1])
local token = type(lease) == 'string' and string.match(lease, '^working (%d+)$')
if token and redis.call('pttl', KEYS[1]) > 0 and ARGV[2] ~= 'steal' then return {'follower', token} end
local time = redis.call('time')
token = string.format('%d%06d', time[1], time[2])
redis.call('set', KEYS[1], 'working ' .. token, 'PX', ARGV[1])
return {'leader', token}`;

/**
 * KEYS: lease, awaited mark. ARGV: fencing token, lease time in ms. Restores a lease that has expired. Returns 1 when
 * other gateways wait for the result.
 */
export const renew = `
local lease = redis.pcall('get', KEYS[1])
if lease and lease ~= 'working ' .. ARGV[1] then return 0 end
redis.call('set', KEYS[1], 'working ' .. ARGV[1], 'PX', ARGV[2])
return redis.call('exists', KEYS[2])`;

/** KEYS: lease, awaited mark. ARGV: how long the mark lasts in ms. Returns the lease, if there is one. */
export const watch = `
redis.call('set', KEYS[2], '1', 'PX', ARGV[1])
local lease = redis.pcall('get', KEYS[1])
return type(lease) == 'string' and redis.call('pttl', KEYS[1]) > 0 and lease or false`;

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

/** KEYS: lease. ARGV: fencing token, error as JSON or ``, how long followers can read the error in ms. */
export const release = `
if redis.pcall('get', KEYS[1]) ~= 'working ' .. ARGV[1] then return 0 end
if ARGV[2] == '' then return redis.call('del', KEYS[1]) end
redis.call('set', KEYS[1], 'failed ' .. ARGV[1] .. ' ' .. ARGV[2], 'PX', ARGV[3])
return 1`;

/** KEYS: demand. ARGV: how many keys are kept, then the time of the latest request and the key, for each key. */
export const recordDemand = `
if redis.call('type', KEYS[1]).ok ~= 'zset' then redis.call('del', KEYS[1]) end
for at = 2, #ARGV, 2 do redis.call('zadd', KEYS[1], 'GT', ARGV[at], ARGV[at + 1]) end
return redis.call('zremrangebyrank', KEYS[1], 0, -1 - ARGV[1])`;
