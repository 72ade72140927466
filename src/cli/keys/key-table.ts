import { visibleLine } from '@querygate/text';
import { formatInstant } from '../../files/durations.ts';
import type { KeyEntry } from '../../keys/file/key-schema.ts';
import type { LastUsed } from '../../keys/file/last-used.ts';
import { alignedText } from '../aligned-text.ts';

const header = [
  'id',
  'name',
  'state',
  'expires',
  'endpoints',
  'tenants',
  'rate',
  'permissions',
  'last used',
  'allow',
  'budget',
];

export interface TableOptions {
  readonly now: Date;
  /** undefined: nothing has been recorded. */
  readonly lastUsed: LastUsed | undefined;
  /** Aligned columns for people; otherwise separated by tabs, for programs. */
  readonly isTerminal: boolean;
}

/** The keys of a file, one per line, below a line with the names of the columns. */
export function keyTable(keys: readonly KeyEntry[], { now, lastUsed, isTerminal }: TableOptions): string {
  const rows = keys.map((key) => rowOf(key, now, lastUsedText(lastUsed, key.id)));
  const lines = [header, ...rows.map((row) => row.map(visibleLine))];
  return isTerminal ? alignedText(lines) : lines.map((row) => `${row.join('\t')}\n`).join('');
}

function rowOf(key: KeyEntry, now: Date, lastUsed: string): readonly string[] {
  const { endpoints, tenants, allow, rate, budget = {}, permissions } = key;
  const limits = [
    rate?.requests_per_minute && `${rate.requests_per_minute}/min`,
    rate?.concurrent_queries && `${rate.concurrent_queries} at once`,
  ];
  const costs = Object.entries(budget).filter(([, value]) => value !== undefined && value !== false);
  return [
    key.id,
    key.name,
    stateOf(key, now),
    key.expires === undefined ? 'never' : formatInstant(key.expires),
    listed(endpoints),
    listed(tenants),
    limits.filter(Boolean).join(', ') || 'any',
    permissions.join(',') || 'none',
    lastUsed,
    listed(allow),
    costs.map(([name, value]) => `${name}: ${value}`).join(', ') || 'any',
  ];
}

/** In brackets, `all` is the name of something: without bounds, a key has all. */
function listed(values: readonly string[] | undefined): string {
  const text = values?.join(',') ?? 'all';
  return values !== undefined && text === 'all' ? '[all]' : text;
}

function lastUsedText(lastUsed: LastUsed | undefined, id: string): string {
  if (lastUsed === undefined) return 'unknown';
  const at = lastUsed.get(id);
  return at === undefined ? 'never' : formatInstant(at);
}

function stateOf({ revoked, expires }: KeyEntry, now: Date): string {
  if (revoked !== undefined) return 'revoked';
  return expires !== undefined && expires <= now ? 'expired' : 'valid';
}
