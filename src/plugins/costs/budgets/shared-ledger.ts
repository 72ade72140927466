import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { SharedState } from '../../../redis/shared-state.ts';
import {
  type Demand,
  type Ledger,
  type LimitState,
  LocalLedger,
  type Reservation,
  triesWithinMs,
} from './ledger.ts';
import type { Limit, Period } from './limits.ts';

/**
 * KEYS: the limits. ARGV: `reserve` or `settle`, the run, how long its reservation lasts, this gateway, how long the run has
 * waited, then twelve for each limit: its amount, what it gets in a millisecond, the begin and the end of its day, what the run
 * may cost (empty: not known), what of that must fit, what this gateway knows to be spent, the bills that it has no reply to
 * (each after its number), 1 if it only counts, what the run has cost if its bill never comes, the runs that have ended, its
 * payer. Replies with the verdict, the time of Redis, and for each limit what is spent and what is reserved. The clocks of
 * gateways do not matter: one with another day tries again. The number of the last bill of each gateway is kept: one that is
 * sent again after a lost reply counts once.
 */
const script = `
local time = redis.call('time')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local operation, run, keepMs, counted = ARGV[1], ARGV[2], tonumber(ARGV[3]), 'bills of ' .. ARGV[4]
local hour, begun = 3600000, now - tonumber(ARGV[5])
local states, verdict, full, payer, isLater = {}, 'granted', {}, nil, false
local text = function (at, number) return ARGV[5 + 12 * (at - 1) + number] end
local argument = function (at, number) return tonumber(text(at, number)) end
for at in ipairs(KEYS) do
  if argument(at, 2) == 0 and (now < argument(at, 3) or now >= argument(at, 4)) then return {'clock', now} end
end
for at, key in ipairs(KEYS) do
  local amount, perMs = argument(at, 1), argument(at, 2)
  local cost, whole, isTracking = argument(at, 5), argument(at, 6), argument(at, 9) == 1
  local start = perMs > 0 and now or argument(at, 3)
  local spent, since, reserved, hasUnknown, last = nil, nil, 0, false, 0
  local before, beforeSince
  local ended = text(at, 11) .. run .. ' '
  local stored = redis.pcall('hgetall', key)
  if stored.err then
    redis.call('del', key)
    stored = {}
  end
  local first, firstSince, firstNeeds, tried =
    string.match(redis.call('hget', key, 'waiting') or '', '^(.+) (%d+) ([%d.e+]+) (%d+)$')
  if first and (first == run or math.abs(now - tonumber(tried)) >= ${triesWithinMs}) then
    redis.call('hdel', key, 'waiting')
    first = nil
  end
  firstSince = first and tonumber(firstSince)
  local later = 0
  for field = 1, #stored, 2 do
    local name, value = stored[field], stored[field + 1]
    if name == 'spent' then spent = tonumber(value)
    elseif name == 'since' then since = tonumber(value)
    elseif name == 'before' then before = tonumber(value)
    elseif name == 'before since' then beforeSince = tonumber(value)
    elseif string.sub(name, 1, 9) == 'bills of ' then
      local number, at = string.match(value, '^(%d+) (%d+)$')
      if name == counted then last = tonumber(number) or 0
      elseif now - (tonumber(at) or 0) > 26 * hour then redis.call('hdel', key, name) end
    elseif name ~= 'waiting' then
      local held, assumed, untilTime, isUnknown = string.match(value, '^([%d.e+]+) ([%d.e+]+) (%d+) ([01])$')
      if string.find(ended, ' ' .. name .. ' ', 1, true) then redis.call('hdel', key, name)
      elseif (tonumber(untilTime) or 0) <= now then
        redis.call('hdel', key, name)
        spent = (spent or 0) + (tonumber(assumed) or 0)
      else
        reserved = reserved + tonumber(held)
        if first and tonumber(untilTime) - keepMs > firstSince then later = later + tonumber(held) end
        hasUnknown = hasUnknown or isUnknown == '1'
      end
    end
  end
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
  if start > since or since > start + (perMs > 0 and 1 or 26) * hour then since = start end
  local added, newest = 0, last
  for number, bill in string.gmatch(text(at, 8), '(%S+) (%S+)') do
    if tonumber(number) > last then added, newest = added + tonumber(bill), tonumber(number) end
  end
  spent = math.max(0, spent + added)
  redis.call('hset', key, 'spent', string.format('%.3f', spent), 'since', string.format('%.0f', since))
  if newest > last then redis.call('hset', key, counted, string.format('%.0f %.0f', newest, now)) end
  redis.call('pexpire', key, 49 * hour + math.ceil(perMs > 0 and math.min(spent, amount) / perMs or 0))
  local left = math.max(0, amount - spent - reserved)
  states[at] = {spent, reserved, cost or left / 2}
  if operation == 'reserve' and not isTracking then
    local fits = cost and spent + reserved + cost <= amount
    if not cost then fits = not hasUnknown and left > 0 and left / 2 >= argument(at, 10) end
    local delays = first and cost ~= 0 and firstSince < begun
      and spent + tonumber(firstNeeds) + later + (cost or math.huge) > amount
    if spent >= amount or spent + whole > amount then verdict = 'spent'
    elseif verdict ~= 'spent' and (delays or reserved > 0 and not fits) then verdict = 'wait' end
    isLater = isLater or delays
    if reserved > 0 and not fits then
      payer = (payer == nil or payer == text(at, 12)) and text(at, 12)
      if not first or firstSince > begun then full[key] = cost or 2 * argument(at, 10) end
    end
  end
end
if verdict == 'wait' and begun < now and payer and not isLater then
  for key, needs in pairs(full) do
    redis.call('hset', key, 'waiting', string.format('%s %.0f %.3f %.0f', run, begun, needs, now))
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

/** The changes of one limit that Redis has not confirmed. */
interface Unconfirmed {
  /** In the order of their numbers. */
  readonly bills: readonly Bill[];
  /** Runs that have ended, or that never began. */
  readonly ended: readonly string[];
}

/** Negative for what was counted too much. */
interface Bill {
  /** Later ones of a gateway have larger numbers. */
  readonly number: number;
  readonly amount: number;
}

const nothing: Unconfirmed = { bills: [], ended: [] };

/** Of one limit, while Redis fails: beyond so many, bills are added up, and reservations are left to expire. */
const mostUnconfirmed = 500;

const sumOf = (bills: readonly Bill[]): number => bills.reduce((sum, { amount }) => sum + amount, 0);

/** Bills that were not sent are one; of those that were, the oldest are if there are many. */
function addBill(bills: readonly Bill[], bill: Bill, lastSent: number): readonly Bill[] {
  const last = bills.at(-1);
  const isUnsent = last !== undefined && last.number > lastSent;
  const all = isUnsent ? [...bills.slice(0, -1), merge(last, bill)] : [...bills, bill];
  const [first, second, ...others] = all;
  const isFull = first !== undefined && second !== undefined && all.length > mostUnconfirmed;
  return isFull ? [merge(first, second), ...others] : all;
}

const merge = (one: Bill, later: Bill): Bill => ({
  number: later.number,
  amount: one.amount + later.amount,
});

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
  readonly #gateway = randomUUID();
  #bills = 0;
  /** Bills of larger numbers are not known to Redis. */
  #lastSent = 0;
  /** By limit. */
  readonly #unconfirmed = new Map<string, Unconfirmed>();
  /** Runs in progress that Redis may have granted. */
  readonly #sharedRuns = new Set<string>();
  /** How far the clock of Redis is ahead. */
  #aheadMs = 0;

  constructor(options: SharedLedgerOptions) {
    this.#options = options;
    this.#local = new LocalLedger(options);
  }

  async reserve(run: string, demands: readonly Demand[], now: number, waitedMs = 0): Promise<Reservation> {
    this.#local.trim(now);
    // A reservation is replaced by the next one of the same run.
    for (const { limit } of demands)
      this.#change(limit, ({ bills, ended }) => ({ bills, ended: ended.filter((one) => one !== run) }));
    const isUp = this.#options.state.isUp();
    const shared = await this.#evaluate('reserve', run, demands, now, waitedMs);
    // Redis may be away before the run ends.
    if (shared?.verdict === 'granted') this.#local.hold(run, demands, shared.states, now);
    const reservation = shared ?? (await this.#local.reserve(run, demands, now, waitedMs));
    if (!isUp) return reservation;
    if (reservation.verdict === 'granted') this.#sharedRuns.add(run);
    // Redis may have granted it, and its reply be lost.
    else if (shared === undefined) this.#end(run, demands);
    return reservation;
  }

  async settle(
    run: string,
    demands: readonly Demand[],
    bills: readonly number[],
    now: number,
  ): Promise<void> {
    if (this.#sharedRuns.delete(run)) this.#end(run, demands);
    for (const [at, { limit }] of demands.entries()) this.#bill(limit, bills[at] ?? 0);
    await this.#local.settle(run, demands, bills, now);
    await this.#evaluate('settle', run, demands, now);
  }

  look(limit: Limit, now: number): LimitState {
    return this.#local.look(limit, now);
  }

  #unconfirmedOf({ id }: Limit): Unconfirmed {
    return this.#unconfirmed.get(id) ?? nothing;
  }

  #change(limit: Limit, change: (before: Unconfirmed) => Unconfirmed): void {
    const next = change(this.#unconfirmedOf(limit));
    if (next.bills.length === 0 && next.ended.length === 0) this.#unconfirmed.delete(limit.id);
    else this.#unconfirmed.set(limit.id, next);
  }

  #end(run: string, demands: readonly Demand[]): void {
    for (const { limit } of demands)
      this.#change(limit, ({ bills, ended }) => ({ bills, ended: [...ended, run].slice(-mostUnconfirmed) }));
  }

  #bill(limit: Limit, amount: number): void {
    if (amount === 0) return;
    const bill = { number: ++this.#bills, amount };
    this.#change(limit, ({ bills, ended }) => ({ bills: addBill(bills, bill, this.#lastSent), ended }));
  }

  /** @returns undefined if Redis has not replied: what it does not confirm is sent again */
  async #evaluate(
    operation: 'reserve' | 'settle',
    run: string,
    demands: readonly Demand[],
    now: number,
    waitedMs = 0,
  ): Promise<Reservation | undefined> {
    const { state, keepMs, periodOf } = this.#options;
    if (!state.isUp()) return undefined;
    const keys = demands.map(({ limit }) => state.keyOf('budget', limit.id));
    for (let tries = 0; tries < 2; tries += 1) {
      const sent = demands.map(({ limit }) => this.#unconfirmedOf(limit));
      const given = demands.flatMap(({ limit, worst, whole, assumed }, at) => {
        const { start, end } = periodOf(limit.id, now + this.#aheadMs);
        const { bills, ended } = sent[at] ?? nothing;
        const known = Math.max(0, this.look(limit, now).spent - sumOf(bills));
        const { amount, perMs } = limit;
        const texts = bills.map((bill) => `${bill.number} ${bill.amount}`);
        const ofRun = [worst ?? '', whole, known, texts.join(' '), Number(limit.isTracking), assumed];
        return [amount, perMs, start, end, ...ofRun, ` ${ended.join(' ')} `, limit.payer].map(String);
      });
      this.#lastSent = this.#bills;
      const reply = replySchema.safeParse(
        await state.evaluate(script, keys, [
          ...[operation, run, String(keepMs), this.#gateway, String(Math.floor(waitedMs))],
          ...given,
        ]),
      );
      if (reply.data === undefined) return undefined;
      const [verdict, time, ...numbers] = reply.data;
      this.#aheadMs = time - now;
      if (verdict === 'clock') continue;
      const states = demands.map((_, at) => ({
        spent: numbers[2 * at] ?? 0,
        reserved: numbers[2 * at + 1] ?? 0,
      }));
      this.#confirm(demands, sent, states, now);
      return { verdict, states };
    }
    return undefined;
  }

  /** Takes up a reply. Bills that came after the call are known here only. */
  #confirm(
    demands: readonly Demand[],
    sent: readonly Unconfirmed[],
    states: readonly LimitState[],
    now: number,
  ): void {
    const known = demands.map(({ limit }, at) => {
      const { bills, ended } = sent[at] ?? nothing;
      const last = bills.at(-1)?.number ?? 0;
      this.#change(limit, (before) => ({
        bills: before.bills.filter(({ number }) => number > last),
        ended: before.ended.filter((run) => !ended.includes(run)),
      }));
      const { spent = 0, reserved = 0 } = states[at] ?? {};
      return { spent: spent + sumOf(this.#unconfirmedOf(limit).bills), reserved };
    });
    this.#local.replace(demands, known, now);
  }
}
