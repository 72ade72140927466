import { setImmediate as nextTurn } from 'node:timers/promises';
import { z } from 'zod';
import type { SharedState } from '../../redis/shared-state.ts';
import type { AccountRow } from './account.ts';
import type { AccountStore } from './accounts.ts';

/** How long Redis keeps a day. */
const keepSeconds = 100 * 86_400;

/** Rows that are read in one turn of the event loop. */
const rowsOfTurn = 500;

/** Rows of one command: Redis does nothing else meanwhile. */
const maxRows = 500;

/**
 * KEYS: the days. ARGV: for each its field and value. A field is a row of one process, which only grows: nothing is added up
 * twice, and what a lost connection sends late replaces nothing newer.
 */
const saveScript = `
for at, key in ipairs(KEYS) do
  local field, value = ARGV[2 * at - 1], ARGV[2 * at]
  local stored = redis.call('hget', key, field)
  local isValid, before = pcall(cjson.decode, stored or '[0]')
  if not isValid or type(before) ~= 'table' or cjson.decode(value)[1] >= (tonumber(before[1]) or 0) then
    redis.call('hset', key, field, value)
    redis.call('expire', key, ${keepSeconds})
  end
end
return 1`;

const hasScript = "return redis.call('hexists', KEYS[1], ARGV[1])";

const loadScript = "return redis.call('hgetall', KEYS[1])";

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
        const reply = await state.evaluate(loadScript, [keyOf(day)], []);
        if (!Array.isArray(reply)) throw new Error('the accounts in Redis cannot be read');
        const rows: AccountRow[] = [];
        for (let at = 0; at < reply.length; at += 2) {
          if (at % (2 * rowsOfTurn) === 0) await nextTurn();
          const [field, value] = [String(reply[at]), String(reply[at + 1])];
          rows.push(...parseRow(day, state.decrypt(field) ?? '', value));
        }
        return rows;
      });
      return (await Promise.all(loaded)).flat();
    },
    close: state.close,
  };
}

const totalsOf = ({ runs, bytesBilled, slotMs }: AccountRow) => JSON.stringify([runs, bytesBilled, slotMs]);

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
