import { format } from './entry-codec.ts';

/**
 * What must happen in one step, in Redis's own language. A lease holds `working <fence>` or `failed <fence> <error>`;
 * anything else in its place, or one that would never end, counts as none.
 */

/** KEYS: lease. ARGV: lease time in ms, `steal` or ``. Gives {role, fence}; the fence is Redis's own time in µs. */
export const take = `
local held = redis.pcall('get', KEYS[1])
local fence = type(held) == 'string' and string.match(held, '^working (%d+)$')
if fence and redis.call('pttl', KEYS[1]) > 0 and ARGV[2] ~= 'steal' then return {'follower', fence} end
local time = redis.call('time')
fence = string.format('%d%06d', time[1], time[2])
redis.call('set', KEYS[1], 'working ' .. fence, 'PX', ARGV[1])
return {'leader', fence}`;

/** KEYS: lease, mark of being awaited. ARGV: fence, lease time in ms. Gives 1 where others wait. */
export const renew = `
if redis.pcall('get', KEYS[1]) ~= 'working ' .. ARGV[1] then return 0 end
redis.call('pexpire', KEYS[1], ARGV[2])
return redis.call('exists', KEYS[2])`;

/** KEYS: lease, mark of being awaited. ARGV: how long the mark holds in ms. Gives what the lease holds. */
export const watch = `
redis.call('set', KEYS[2], '1', 'PX', ARGV[1])
local held = redis.pcall('get', KEYS[1])
return type(held) == 'string' and redis.call('pttl', KEYS[1]) > 0 and held or false`;

/** KEYS: answer. ARGV: its text, how long it is kept in ms. A text with a later fence stays. */
export const put = `
local pattern = '^${format} (%d+) '
local kept = redis.pcall('get', KEYS[1])
local later = type(kept) == 'string' and tonumber(string.match(kept, pattern) or '0') or 0
local time = redis.call('time')
if later > time[1] * 1000000 + time[2] then later = 0 end
if later > tonumber(string.match(ARGV[1], pattern)) then return 0 end
redis.call('set', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1`;

/** KEYS: lease. ARGV: fence, error as JSON or ``, how long the error is told in ms. */
export const giveUp = `
if redis.pcall('get', KEYS[1]) ~= 'working ' .. ARGV[1] then return 0 end
if ARGV[2] == '' then return redis.call('del', KEYS[1]) end
redis.call('set', KEYS[1], 'failed ' .. ARGV[1] .. ' ' .. ARGV[2], 'PX', ARGV[3])
return 1`;

/** KEYS: demand. ARGV: how many are kept, then moment and key of each that was asked for. */
export const tellDemand = `
if redis.call('type', KEYS[1]).ok ~= 'zset' then redis.call('del', KEYS[1]) end
for at = 2, #ARGV, 2 do redis.call('zadd', KEYS[1], 'GT', ARGV[at], ARGV[at + 1]) end
return redis.call('zremrangebyrank', KEYS[1], 0, -1 - ARGV[1])`;
