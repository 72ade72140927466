/** Beyond these a number is written as in `1.5E300`: it would have hundreds of digits, or be shown as 0. */
const isExtreme = (value: number) =>
  value !== 0 && (Math.abs(value) >= 1e16 || Math.abs(value) < 1e-4) && Number.isFinite(value);

const formats = {
  compact: new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 4 }),
  whole: new Intl.NumberFormat('en', { maximumFractionDigits: 0 }),
  fraction: new Intl.NumberFormat('en', { maximumSignificantDigits: 4 }),
  scientific: new Intl.NumberFormat('en', { notation: 'scientific', maximumSignificantDigits: 4 }),
};

/** The numbers beside an axis, where there is little room. Rounding errors of the others are shown as zero. */
export function axisNumbers(values: readonly number[]): string[] {
  const least = Math.max(...values.map(Math.abs)) * 1e-12;
  return values.map((value) => {
    if (Math.abs(value) < least) return '0';
    return (isExtreme(value) ? formats.scientific : formats.compact).format(value);
  });
}

/** A number that people read: whole numbers in full, others with four digits or as whole numbers. */
export function readableNumber(value: number): string {
  if (isExtreme(value)) return formats.scientific.format(value);
  const isWhole = Number.isInteger(value) || Math.abs(value) >= 1000;
  return (isWhole ? formats.whole : formats.fraction).format(value);
}
