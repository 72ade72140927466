import { hostFunction } from './host-function.ts';

const invalid = (text: string) => new Error(`Invalid INTERVAL value '${text}'`);

const [second, minute, hour] = [1_000_000n, 60_000_000n, 3_600_000_000n];

const signed = (sign: string | undefined, size: bigint) => (sign === '-' ? -size : size);

/** Months, days and microseconds, joined by blanks. */
const joined = (months: bigint, days: bigint, micros: bigint) => `${months} ${days} ${micros}`;

const microsOf = (fraction = '') => {
  if (/[1-9]/.test(fraction.slice(6))) throw new Error('INTERVAL has microseconds at most');
  return BigInt(fraction.slice(0, 6).padEnd(6, '0') || 0);
};

const fields = ['YEAR', 'MONTH', 'DAY', 'HOUR', 'MINUTE', 'SECOND'];

/** The pattern of a range of fields: BigQuery's canonical form leaves out the others. */
function patternOf(from: number, to: number): RegExp {
  const has = (field: number) => from <= field && field <= to;
  const months =
    has(0) || has(1)
      ? `(?<ms>[+-]?)${has(0) ? '(?<y>\\d+)' : ''}${has(0) && has(1) ? '-' : ''}${has(1) ? '(?<m>\\d+)' : ''}`
      : '';
  const days = has(2) ? '(?<ds>[+-]?)(?<d>\\d+)' : '';
  const clock = [
    ...(has(3) ? ['(?<h>\\d+)'] : []),
    ...(has(4) ? ['(?<i>\\d+)'] : []),
    ...(has(5) ? ['(?<s>\\d+)(?:\\.(?<f>\\d{1,9}))?'] : []),
  ].join(':');
  const time = clock === '' ? '' : `(?<ts>[+-]?)${clock}`;
  return new RegExp(`^${[months, days, time].filter((part) => part !== '').join(' ')}$`);
}

function fromFields(text: string, parts: string): string {
  const [first = '', last = first] = parts.toUpperCase().split(' TO ');
  const [from, to] = [fields.indexOf(first), fields.indexOf(last)];
  if (text.length > maxLength) throw invalid(text.slice(0, maxLength));
  const { groups } = patternOf(from, to).exec(text) ?? {};
  if (groups === undefined || from < 0 || to < from) throw invalid(text);
  const n = (name: string) => BigInt(groups[name] ?? 0);
  const time = n('h') * hour + n('i') * minute + n('s') * second + microsOf(groups.f);
  return joined(signed(groups.ms, n('y') * 12n + n('m')), signed(groups.ds, n('d')), signed(groups.ts, time));
}

const isoPattern =
  /^P(?:([+-]?\d+)Y)?(?:([+-]?\d+)M)?(?:([+-]?\d+)W)?(?:([+-]?\d+)D)?(?:T(?:([+-]?\d+)H)?(?:([+-]?\d+)M)?(?:([+-]?)(\d+)(?:[.,](\d{1,9}))?S)?)?$/;

/** No interval is longer; the patterns take longer than a text grows. */
const maxLength = 200;

/**
 * A whole interval, or the parts of one that its form identifies.
 *
 * @throws Error if a text is not an interval
 */
export function parseInterval(text: string): string {
  if (text.length > maxLength) throw invalid(text.slice(0, maxLength));
  const iso = isoPattern.exec(text);
  if (iso !== null && text !== 'P') {
    const [years, months, weeks, days, hours, minutes] = iso.slice(1, 7).map((part) => BigInt(part ?? 0));
    const seconds = signed(iso[7], BigInt(iso[8] ?? 0) * second + microsOf(iso[9]));
    return joined(
      (years ?? 0n) * 12n + (months ?? 0n),
      (weeks ?? 0n) * 7n + (days ?? 0n),
      (hours ?? 0n) * hour + (minutes ?? 0n) * minute + seconds,
    );
  }
  for (const [form, parts] of forms) if (form.test(text)) return fromFields(text, parts);
  throw invalid(text);
}

const forms: readonly (readonly [RegExp, string])[] = [
  [/^\S+-\S+ \S+ \S+:\S+:\S+$/, 'YEAR TO SECOND'],
  [/^\S+-\S+ \S+ \S+:\S+$/, 'YEAR TO MINUTE'],
  [/^\S+-\S+ \S+ \S+$/, 'YEAR TO HOUR'],
  [/^\S+-\S+ \S+$/, 'YEAR TO DAY'],
  [/^\S*\d-\d+$/, 'YEAR TO MONTH'],
  [/^\S+ \S+ \S+:\S+:\S+$/, 'MONTH TO SECOND'],
  [/^\S+ \S+ \S+:\S+$/, 'MONTH TO MINUTE'],
  [/^\S+ \S+ \S+$/, 'MONTH TO HOUR'],
  [/^\S+ \S+:\S+:\S+$/, 'DAY TO SECOND'],
  [/^\S+ \S+:\S+$/, 'DAY TO MINUTE'],
  [/^\S+:\S+:\S+$/, 'HOUR TO SECOND'],
];

/** The texts of intervals as their parts. */
export const intervalFunctions = [
  hostFunction('host_interval', ['VARCHAR'], 'VARCHAR', parseInterval),
  hostFunction('host_interval_fields', ['VARCHAR', 'VARCHAR'], 'VARCHAR', fromFields),
];
