import { z } from 'zod';
import type { SharedState } from '../../../redis/shared-state.ts';
import { type Demand, type Ledger, type LimitState, LocalLedger, type Reservation } from './ledger.ts';
import type { Limit, Period } from './limits.ts';

/**
 * KEYS: the limits. ARGV: `reserve` or `settle`, the run, how long its reservation lasts, then eleven for each limit: its amount,
 * what it gets in a millisecond, the begin and the end of its day, what the run costs or may cost (empty: not known),
 * what of that must fit, what this gateway knows to be spent, what it has spent besides without Redis, 1 if it only
 * counts, what the run has cost if its bill never comes, the runs whose bills are in what was spent without Redis.
 * Replies with the verdict, the time of Redis, and for each limit what is spent and what is reserved. The clocks of
 * gateways do not matter: one with another day tries again.
 */
const script = `
local time = redis.call('time')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local operation, run, keepMs = ARGV[1], ARGV[2], tonumber(ARGV[3])
local hour = 3600000
local states, verdict = {}, 'granted'
local argument = function (at, number) return tonumber(ARGV[3 + 11 * (at - 1) + number]) end
for at in ipairs(KEYS) do
  if argument(at, 2) == 0 and (now < argument(at, 3) or now >= argument(at, 4)) then return {'clock', now} end
end
for at, key in ipairs(KEYS) do
  local amount, perMs = argument(at, 1), argument(at, 2)
  local cost, whole, isTracking = argument(at, 5), argument(at, 6), argument(at, 9) == 1
  local start = perMs > 0 and now or argument(at, 3)
  local spent, since, reserved, hasUnknown, own = nil, nil, 0, false, false
  local before, beforeSince
  local settled = ARGV[3 + 11 * at]
  local stored = redis.pcall('hgetall', key)
  if stored.err then
    redis.call('del', key)
    stored = {}
  end
  for field = 1, #stored, 2 do
    local name, value = stored[field], stored[field + 1]
    if name == 'spent' then spent = tonumber(value)
    elseif name == 'since' then since = tonumber(value)
    elseif name == 'before' then before = tonumber(value)
    elseif name == 'before since' then beforeSince = tonumber(value)
    else
      local held, assumed, untilTime, isUnknown = string.match(value, '^([%d.e+]+) ([%d.e+]+) (%d+) ([01])$')
      if operation == 'settle' and name == run then own = true
      elseif string.find(settled, ' ' .. name .. ' ', 1, true) then redis.call('hdel', key, name)
      elseif (tonumber(untilTime) or 0) <= now then
        redis.call('hdel', key, name)
        spent = (spent or 0) + (tonumber(assumed) or 0)
      else
        reserved = reserved + tonumber(held)
        hasUnknown = hasUnknown or isUnknown == '1'
      end
    end
  end
  if own then redis.call('hdel', key, run) end
  if not spent or not since then
    spent, since = math.max(spent or 0, argument(at, 7)), start
  end
  if perMs > 0 then
    spent = math.max(0, math.min(spent, amount + perMs * hour) - math.max(0, now - since) * perMs)
  elseif start > since then
    redis.call('hset', key, 'before', string.format('%.3f', spent), 'before since', string.format('%.0f', since))
    spent = 0
  elseif since > start + 26 * hour then
    if before and beforeSince and beforeSince >= start then spent = spent + before end
    redis.call('hdel', key, 'before', 'before since')
  end
  if start > since or since > start + 26 * hour then since = start end
  spent = math.max(0, spent + argument(at, 8))
  if operation == 'settle' then spent = math.max(0, spent + cost) end
  redis.call('hset', key, 'spent', string.format('%.3f', spent), 'since', string.format('%.0f', since))
  redis.call('pexpire', key, 49 * hour + math.ceil(perMs > 0 and spent / perMs or 0))
  local left = math.max(0, amount - spent - reserved)
  states[at] = {spent, reserved, cost or left / 2}
  if operation == 'reserve' and not isTracking then
    local fits = cost and spent + reserved + cost <= amount
    if not cost then fits = not hasUnknown and left > 0 and left / 2 >= argument(at, 10) end
    if spent >= amount or spent + whole > amount then verdict = 'spent'
    elseif verdict ~= 'spent' and reserved > 0 and not fits then verdict = 'wait' end
  end
end
local reply = {verdict, now}
for at, state in ipairs(states) do
  if operation == 'reserve' and verdict == 'granted' then
    local isUnknown = argument(at, 5) and 0 or 1
    local value = string.format('%.3f %.3f %.0f %d', state[3], argument(at, 10), now + keepMs, isUnknown)
    redis.call('hset', KEYS[at], run, value)
  end
  table.insert(reply, string.format('%.3f', state[1]))
  table.insert(reply, string.format('%.3f', state[2]))
end
return reply`;

const replySchema = z.tuple(
  [z.enum(['granted', 'wait', 'spent', 'clock']), z.coerce.number()],
  z.coerce.number(),
);

/** Some bills, and the runs whose reservations they end. */
interface Owed {
  readonly amount: number;
  readonly runs: readonly string[];
}

const nothing: Owed = { amount: 0, runs: [] };

interface SharedLedgerOptions {
  readonly state: SharedState;
  readonly keepMs: number;
  readonly periodOf: (id: string, now: number) => Period;
}

/**
 * The ledger of gateways on one Redis: each decision is one step for all. While Redis is away each gateway goes on with what it
 * knows, and adds what it has spent when Redis is back.
 */
export class SharedLedger implements Ledger {
  readonly isShared = true;
  readonly #options: SharedLedgerOptions;
  readonly #local: LocalLedger;
  /** The bills that Redis does not have yet, by limit. */
  readonly #owed = new Map<string, Owed>();
  /** Runs that Redis does not know. */
  readonly #localRuns = new Set<string>();
  /** How far the clock of Redis is ahead. */
  #aheadMs = 0;

  constructor(options: SharedLedgerOptions) {
    this.#options = options;
    this.#local = new LocalLedger(options);
  }

  async reserve(run: string, demands: readonly Demand[], now: number): Promise<Reservation> {
    const costs = demands.map(({ worst }) => worst);
    const shared = await this.#evaluate('reserve', run, demands, costs, now);
    this.#localRuns.delete(run);
    if (shared !== undefined) {
      // Redis may be away before it ends.
      if (shared.verdict === 'granted') this.#local.hold(run, demands, shared.states, now);
      return shared;
    }
    const reservation = await this.#local.reserve(run, demands, now);
    if (reservation.verdict === 'granted') this.#localRuns.add(run);
    return reservation;
  }

  async settle(
    run: string,
    demands: readonly Demand[],
    bills: readonly number[],
    now: number,
  ): Promise<void> {
    const isLocal = this.#localRuns.delete(run);
    const isShared = !isLocal && (await this.#evaluate('settle', run, demands, bills, now)) !== undefined;
    await this.#local.settle(run, demands, isShared ? [] : bills, now);
    if (isShared) return;
    const runs = isLocal ? [] : [run];
    for (const [at, { limit }] of demands.entries()) this.#owe(limit, { amount: bills[at] ?? 0, runs });
  }

  look(limit: Limit, now: number): LimitState {
    return this.#local.look(limit, now);
  }

  #owe({ id }: Limit, { amount, runs }: Owed): void {
    const before = this.#owed.get(id) ?? nothing;
    this.#owed.set(id, { amount: before.amount + amount, runs: [...before.runs, ...runs] });
  }

  async #evaluate(
    operation: 'reserve' | 'settle',
    run: string,
    demands: readonly Demand[],
    costs: readonly (number | undefined)[],
    now: number,
  ): Promise<Reservation | undefined> {
    const { state, keepMs, periodOf } = this.#options;
    const keys = demands.map(({ limit }) => state.keyOf('budget', limit.id));
    for (let tries = 0; tries < 2; tries += 1) {
      const owed = demands.map(({ limit }) => this.#owed.get(limit.id) ?? nothing);
      const given = demands.flatMap(({ limit, whole, assumed }, at) => {
        const { start, end } = periodOf(limit.id, now + this.#aheadMs);
        const { amount: added, runs } = owed[at] ?? nothing;
        const known = Math.max(0, this.look(limit, now).spent - added);
        const { amount, perMs } = limit;
        const isTracking = Number(limit.isTracking);
        const ofRun = [costs[at] ?? '', whole, known, added, isTracking, assumed];
        return [amount, perMs, start, end, ...ofRun, ` ${runs.join(' ')} `].map(String);
      });
      for (const { limit } of demands) this.#owed.delete(limit.id);
      const reply = replySchema.safeParse(
        await state.evaluate(script, keys, [operation, run, String(keepMs), ...given]),
      );
      const [verdict, time, ...numbers] = reply.data ?? [];
      if (verdict === undefined || verdict === 'clock')
        for (const [at, { limit }] of demands.entries()) this.#owe(limit, owed[at] ?? nothing);
      if (verdict === undefined) return undefined;
      this.#aheadMs = (time ?? now) - now;
      if (verdict === 'clock') continue;
      const states = demands.map((_, at) => ({
        spent: numbers[2 * at] ?? 0,
        reserved: numbers[2 * at + 1] ?? 0,
      }));
      this.#local.replace(demands, states, now);
      return { verdict, states };
    }
    return undefined;
  }
}
