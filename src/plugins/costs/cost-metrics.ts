import type { MetricFamily } from '../../gateway/plugin.ts';
import { type Account, refreshKey, type Totals } from './account.ts';

interface Sums {
  runs: number;
  bytesBilled: number;
  slotSeconds: number;
}

/** Bills by endpoint, since the start; those of keys and tenants are in the accounts. */
export class CostMetrics {
  readonly #sums = new Map<string, Sums & { readonly labels: MetricLabels }>();

  count({ endpoint, key }: Account, { runs, bytesBilled, slotMs }: Totals): void {
    const labels = { endpoint, payer: key === refreshKey ? 'endpoint' : 'key' };
    const name = JSON.stringify(labels);
    const sums = this.#sums.get(name) ?? { labels, runs: 0, bytesBilled: 0, slotSeconds: 0 };
    sums.runs += runs;
    sums.bytesBilled += bytesBilled;
    sums.slotSeconds += slotMs / 1000;
    this.#sums.set(name, sums);
  }

  /** Drops the sums of other endpoints than these. */
  keepEndpoints(kept: ReadonlySet<string>): void {
    for (const [name, { labels }] of this.#sums) if (!kept.has(labels.endpoint)) this.#sums.delete(name);
  }

  readonly families: readonly MetricFamily[] = [
    this.#family(
      'querygate_account_runs_total',
      'Runs that were billed, to a key or to the endpoint.',
      'runs',
    ),
    this.#family(
      'querygate_account_billed_bytes_total',
      'Bytes that were billed, to a key or to the endpoint.',
      'bytesBilled',
    ),
    this.#family(
      'querygate_account_slot_seconds_total',
      'Time of slots that was billed, to a key or to the endpoint.',
      'slotSeconds',
    ),
  ];

  #family(name: string, help: string, of: keyof Sums): MetricFamily {
    const samples = () => [...this.#sums.values()].map(({ labels, [of]: value }) => ({ labels, value }));
    return { name, help, type: 'counter', samples };
  }
}

interface MetricLabels extends Readonly<Record<string, string>> {
  readonly endpoint: string;
  readonly payer: string;
}
