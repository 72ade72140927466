import { setImmediate as nextTurn } from 'node:timers/promises';
import { z } from 'zod';
import type { SharedState } from '../../redis/shared-state.ts';
import type { AccountRow } from './account.ts';
import type { AccountStore } from './accounts.ts';

/** How long Redis keeps a day. */
const keepSeconds = 100 * 86_400;

/** Rows of one command: Redis does nothing else meanwhile. */
const maxRows = 500;

/**
 * KEYS: the days. ARGV: for each its field and value. A field is a row of one process, which only grows: nothing is added up
 * twice, and what a lost connection sends late replaces nothing newer. A key of another type is replaced.
 */
const saveScript = `
for at, key in ipairs(KEYS) do
  local field, value = ARGV[2 * at - 1], ARGV[2 * at]
  local stored = redis.pcall('hget', key, field)
  if type(stored) == 'table' then
    redis.call('del', key)
    stored = nil
  end
  local isValid, before = pcall(cjson.decode, stored or '[0]')
  if not isValid or type(before) ~= 'table' or cjson.decode(value)[1] >= (tonumber(before[1]) or 0) then
    redis.call('hset', key, field, value)
    redis.call('expire', key, ${keepSeconds})
  end
end
return 1`;

const hasScript = "return redis.pcall('hexists', KEYS[1], ARGV[1]) == 1 and 1 or 0";

const loadScript = `return redis.call('hscan', KEYS[1], ARGV[1], 'count', ${maxRows})`;

/** The accounts that gateways share in one Redis. */
export function sharedAccounts(state: SharedState): AccountStore {
  const keyOf = (day: string) => state.keyOf('accounts', day);
  const fieldOf = ({ instance, key, tenant, endpoint }: AccountRow) =>
    state.encrypt(JSON.stringify([instance, key, tenant, endpoint]));
  return {
    async save(rows) {
      for (let at = 0; at < rows.length; at += maxRows) {
        const some = rows.slice(at, at + maxRows);
        const given = some.flatMap((row) => [fieldOf(row), totalsOf(row)]);
        const keys = some.map(({ day }) => keyOf(day));
        if ((await state.evaluate(saveScript, keys, given)) !== 1) return false;
      }
      return true;
    },
    hasLost: async (row) => (await state.evaluate(hasScript, [keyOf(row.day)], [fieldOf(row)])) === 0,
    async load(days) {
      const loaded = [...days].map(async (day) => {
        // Redis may give a field twice.
        const rows = new Map<string, readonly AccountRow[]>();
        let cursor = '0';
        do {
          const reply = scanReply.safeParse(await state.evaluate(loadScript, [keyOf(day)], [cursor]));
          if (!reply.success) throw new Error('the accounts in Redis cannot be read');
          const [next, fields] = reply.data;
          cursor = next;
          await nextTurn();
          for (let at = 0; at < fields.length; at += 2) {
            const [field = '', value = ''] = [fields[at], fields[at + 1]];
            rows.set(field, parseRow(day, state.decrypt(field) ?? '', value));
          }
        } while (cursor !== '0');
        return [...rows.values()].flat();
      });
      return (await Promise.all(loaded)).flat();
    },
    close: state.close,
  };
}

const totalsOf = ({ runs, bytesBilled, slotMs }: AccountRow) => JSON.stringify([runs, bytesBilled, slotMs]);

const scanReply = z.tuple([z.coerce.string(), z.array(z.coerce.string())]);

const count = z.number().min(0);
const field = z.tuple([z.string(), z.string(), z.string(), z.string()]);
const value = z.tuple([count, count, count]);

/** Nothing of what another program may have written there. */
function parseRow(day: string, fieldText: string, valueText: string): readonly AccountRow[] {
  try {
    const [instance, key, tenant, endpoint] = field.parse(JSON.parse(fieldText));
    const [runs, bytesBilled, slotMs] = value.parse(JSON.parse(valueText));
    return [{ day, instance, key, tenant, endpoint, runs, bytesBilled, slotMs }];
  } catch {
    return [];
  }
}
