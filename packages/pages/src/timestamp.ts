/** A timestamp, integer microseconds since 1970, as people read it: in UTC, without zeros at the end. */
export function timestampText(value: number | bigint): string {
  const micros = BigInt(value);
  const fraction = ((micros % million) + million) % million;
  const date = new Date(Number((micros - fraction) / million) * 1000);
  if (Number.isNaN(date.getTime())) return String(value);
  const text = date.toISOString().replace('T', ' ').replace('.000Z', '');
  return fraction === 0n ? text : `${text}.${String(fraction).padStart(6, '0').replace(/0+$/, '')}`;
}

const million = 1_000_000n;
