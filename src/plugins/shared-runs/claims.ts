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

/** Which gateway makes the results of which tenants: one for each, among all that share a Redis. */
export class Claims {
  readonly #owner = randomUUID();
  readonly #state: SharedState | undefined;

  constructor(state: SharedState | undefined) {
    this.#state = state;
  }

  /** @returns those that this gateway makes from now on; all of them without Redis */
  async claim(group: string, tenants: readonly string[]): Promise<ReadonlySet<string>> {
    const state = this.#state;
    if (state === undefined) return new Set(tenants);
    const key = state.keyOf('shared-runs', group);
    const fields = tenants.map((tenant) => state.keyOf('tenant', `${key} ${tenant}`));
    const reply = await state.evaluate(claimScript, [key], [this.#owner, String(claimMs), ...fields]);
    if (!Array.isArray(reply)) return new Set(tenants);
    const found = new Set(reply.map(Number));
    return new Set(tenants.filter((_, at) => found.has(at)));
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
