import { formatInstant } from '../../files/durations.ts';
import type { KeyEntry } from '../../keys/file/key-schema.ts';

const header = ['id', 'name', 'state', 'expires', 'endpoints', 'projects', 'rate', 'permissions'];

/**
 * The keys of a file, one per line.
 *
 * @param isTerminal aligned columns with a header for people; otherwise tab-separated without a header, for programs
 */
export function keyTable(keys: readonly KeyEntry[], now: Date, isTerminal: boolean): string {
  const rows = keys.map((key) => rowOf(key, now));
  if (!isTerminal) return rows.map((row) => `${row.join('\t')}\n`).join('');
  const all = [header, ...rows];
  const widths = header.map((_, at) => Math.max(...all.map((row) => row[at]?.length ?? 0)));
  return all
    .map(
      (row) =>
        `${row
          .map((cell, at) => cell.padEnd(widths[at] ?? 0))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
}

function rowOf(key: KeyEntry, now: Date): readonly string[] {
  const { endpoints, projects, rate, permissions } = key;
  const limits = [
    rate?.requests_per_minute && `${rate.requests_per_minute}/min`,
    rate?.concurrent_queries && `${rate.concurrent_queries} at once`,
  ];
  return [
    key.id,
    key.name,
    stateOf(key, now),
    key.expires === undefined ? 'never' : formatInstant(key.expires),
    endpoints?.join(',') ?? 'all',
    projects?.join(',') ?? 'all',
    limits.filter(Boolean).join(', ') || 'any',
    permissions.join(',') || 'none',
  ];
}

function stateOf({ revoked, expires }: KeyEntry, now: Date): string {
  if (revoked !== undefined) return 'revoked';
  return expires !== undefined && expires <= now ? 'expired' : 'valid';
}
