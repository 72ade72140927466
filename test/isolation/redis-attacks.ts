import type { createClient } from '@keyv/redis';
import { pick, type RedisStep } from './steps.ts';

type Client = ReturnType<typeof createClient>;

/** What somebody with access to Redis does to what the gateways keep there. */
export async function tamper(client: Client, { how, from, to }: RedisStep): Promise<void> {
  const keys = ((await client.sendCommand(['KEYS', '*'])) as unknown as string[]).sort();
  if (keys.length === 0) return;
  const [source, target] = [pick(keys, from), pick(keys, to)];
  // Redis refuses some, as for two keys that are the same one, or one that a gateway has removed meanwhile.
  const run = (...command: string[]) => client.sendCommand(command).catch(() => undefined);
  switch (how) {
    case 'copy':
      return void (await run('COPY', source, target, 'REPLACE'));
    case 'swap':
      await run('RENAME', source, 'swapped');
      if (source !== target) await run('RENAME', target, source);
      return void (await run('RENAME', 'swapped', target));
    case 'rotate':
      return void (await run('EVAL', rotate, String(keys.length), ...keys));
    case 'cut': {
      const length = Number(await run('STRLEN', source));
      if (length > 0) await run('EVAL', cut, '1', source, String(to % length));
      return;
    }
    case 'junk':
      return void (await run('SET', source, `<script>${to}`));
    default:
      return void (await run('DEL', source));
  }
}

/** Gives every text the place of another one of about its length, so that every question has another's result. */
const rotate = `
local found = {}
for _, key in ipairs(KEYS) do
  if redis.call('TYPE', key).ok == 'string' then table.insert(found, { key, redis.call('GET', key) }) end
end
table.sort(found, function(a, b) return #a[2] < #b[2] or (#a[2] == #b[2] and a[1] < b[1]) end)
for at, pair in ipairs(found) do redis.call('SET', found[at % #found + 1][1], pair[2], 'KEEPTTL') end
`;

/** Keeps the first bytes, and how long the entry lives. */
const cut =
  "return redis.call('SET', KEYS[1], redis.call('GETRANGE', KEYS[1], 0, tonumber(ARGV[1])), 'KEEPTTL')";
