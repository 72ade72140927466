import { Counts } from '../../gateway/metrics/counts.ts';
import { type Account, refreshKey, type Totals } from './account.ts';

/** Bills by endpoint, since the start; those of keys and tenants are in the accounts. */
export class CostMetrics {
  readonly #runs = new Counts();
  readonly #bytesBilled = new Counts();
  readonly #slotSeconds = new Counts();

  count({ endpoint, key }: Account, { runs, bytesBilled, slotMs }: Totals): void {
    const labels = { endpoint, payer: key === refreshKey ? 'endpoint' : 'key' };
    // A bill that is corrected downwards stays: a counter that falls would look like a restart.
    this.#runs.of(labels).value += Math.max(0, runs);
    this.#bytesBilled.of(labels).value += Math.max(0, bytesBilled);
    this.#slotSeconds.of(labels).value += Math.max(0, slotMs / 1000);
  }

  /** Drops the sums of other endpoints than these. */
  keepEndpoints(kept: ReadonlySet<string>): void {
    for (const counts of [this.#runs, this.#bytesBilled, this.#slotSeconds]) counts.keepEndpoints(kept);
  }

  readonly families = [
    this.#runs.family('querygate_account_runs_total', 'Runs that were billed, to a key or to the endpoint.'),
    this.#bytesBilled.family(
      'querygate_account_billed_bytes_total',
      'Bytes that were billed, to a key or to the endpoint.',
    ),
    this.#slotSeconds.family(
      'querygate_account_slot_seconds_total',
      'Time of slots that was billed, to a key or to the endpoint.',
    ),
  ];
}
