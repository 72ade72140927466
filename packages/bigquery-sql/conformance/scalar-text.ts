/** The canonical text of scalars, for both engines. */

/** The shortest text that parses to this number, including the sign of zero. */
export const floatText = (value: number): string => (Object.is(value, -0) ? '-0' : String(value));

/** `scaled` / 10^digits without trailing zeros. */
export function decimalText(scaled: bigint, digits: number): string {
  const sign = scaled < 0n ? '-' : '';
  const text = (scaled < 0n ? -scaled : scaled).toString().padStart(digits + 1, '0');
  const whole = text.slice(0, text.length - digits);
  const fraction = text.slice(text.length - digits).replace(/0+$/, '');
  return sign + (fraction === '' ? whole : `${whole}.${fraction}`);
}

/** @param days since 1970-01-01 */
export const dateText = (days: number): string => datetimeText(BigInt(days) * 86_400_000_000n).slice(0, -16);

/** @param micros since 1970-01-01T00:00:00 */
export function datetimeText(micros: bigint): string {
  const days = (micros - floorMod(micros, dayMicros)) / dayMicros;
  const date = new Date(Number(days) * 86_400_000);
  const day = Number.isNaN(date.getTime()) ? `day ${days} ` : date.toISOString().slice(0, -14);
  return `${day}T${clockText(floorMod(micros, dayMicros))}`;
}

/** @param micros since midnight */
export function clockText(micros: bigint): string {
  const seconds = micros / 1_000_000n;
  const parts = [seconds / 3600n, (seconds / 60n) % 60n, seconds % 60n].map((part) => pad(part, 2));
  return `${parts.join(':')}.${pad(micros % 1_000_000n, 6)}`;
}

/** JSON with its keys sorted: two engines may keep an object's members in different orders. */
export function canonicalJson(text: string): string {
  return JSON.stringify(JSON.parse(text), (_, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
}

const dayMicros = 86_400_000_000n;

const floorMod = (n: bigint, unit: bigint) => ((n % unit) + unit) % unit;

const pad = (part: bigint, width: number) => String(part).padStart(width, '0');
