import { randomUUID } from 'node:crypto';
import type { SharedState } from '../../redis/shared-state.ts';

/** How long a claim lasts that is not renewed: that of a gateway which has died. */
const claimMs = 10_000;

/**
 * KEYS: one hash of a group. ARGV: who claims, for how many milliseconds, and what. Each field is what one gateway claims; its
 * value is that gateway, and until when.
 */
const claimScript = `
local time = redis.call('time')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local found = {}
for at = 3, #ARGV do
  local owner, ends = string.match(redis.call('hget', KEYS[1], ARGV[at]) or '', '^(%S+) (%d+)$')
  if owner == ARGV[1] or owner == nil or tonumber(ends) < now then
    redis.call('hset', KEYS[1], ARGV[at], ARGV[1] .. ' ' .. string.format('%.0f', now + ARGV[2]))
    table.insert(found, at - 3)
  end
end
redis.call('pexpire', KEYS[1], 10 * ARGV[2])
return found`;

/** KEYS: as above. ARGV: who claims, and what it claims no longer. */
const releaseScript = `
for at = 2, #ARGV do
  local owner = string.match(redis.call('hget', KEYS[1], ARGV[at]) or '', '^%S+')
  if owner == ARGV[1] then redis.call('hdel', KEYS[1], ARGV[at]) end
end`;

/** Which gateway makes the results of which tenants: one for each, among all that share a Redis. */
export class Claims {
  readonly #owner = randomUUID();
  readonly #state: SharedState | undefined;

  constructor(state: SharedState | undefined) {
    this.#state = state;
  }

  /** @returns those that this gateway makes from now on; all of them without Redis */
  async claim(group: string, tenants: readonly string[]): Promise<ReadonlySet<string>> {
    const reply = await this.#evaluate(claimScript, group, tenants, String(claimMs));
    if (!Array.isArray(reply)) return new Set(tenants);
    const found = new Set(reply.map(Number));
    return new Set(tenants.filter((_, at) => found.has(at)));
  }

  /** Leaves them to other gateways: this one could not make them. */
  async release(group: string, tenants: readonly string[]): Promise<void> {
    await this.#evaluate(releaseScript, group, tenants);
  }

  async #evaluate(
    script: string,
    group: string,
    tenants: readonly string[],
    ...given: readonly string[]
  ): Promise<unknown> {
    const state = this.#state;
    if (state === undefined) return undefined;
    const key = state.keyOf('shared-runs', group);
    const fields = tenants.map((tenant) => state.keyOf('tenant', `${key} ${tenant}`));
    return state.evaluate(script, [key], [this.#owner, ...given, ...fields]);
  }

  /** Renews a claim while a run takes longer. @returns ends it */
  keep(group: string, tenants: readonly string[]): () => void {
    if (this.#state === undefined) return () => {};
    const timer = setInterval(() => void this.claim(group, tenants).catch(() => {}), claimMs / 3).unref();
    return () => clearInterval(timer);
  }

  async close(): Promise<void> {
    await this.#state?.close();
  }
}
