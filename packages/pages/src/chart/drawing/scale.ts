import { nice, ticks } from 'd3-array';

/** Where values are along an axis. */
export interface Scale {
  /** 0 at the begin of the axis, 1 at its end. */
  at(value: number): number;
  readonly ticks: readonly number[];
}

/** Values that differ by more than this cannot be compared on one linear axis. */
const maxRatio = 100;

/** Values that are smaller still are drawn at zero. */
const maxDecades = 12;

/** An axis that includes zero, so that heights can be compared. @param count of ticks, about */
export function linearScale(values: readonly number[], count: number): Scale {
  let [least, most] = [0, 0];
  for (const value of values) [least, most] = [Math.min(least, value), Math.max(most, value)];
  if (least === most) most = 1;
  const [low, high] = nice(least, most, count);
  return {
    at: (value) => (value - low) / (high - low),
    ticks: ticks(low, high, count),
  };
}

/**
 * An axis for values of very different sizes: equal distances are equal factors, and zero has a place too, because between
 * zero and the least value it is linear.
 */
export function logarithmicScale(values: readonly number[], count: number): Scale {
  const sizes = values.map(Math.abs).filter((size) => size > 0);
  const most = sizes.reduce((a, b) => Math.max(a, b), 0);
  const smallest = sizes.reduce((a, b) => Math.min(a, b), most);
  const powerOf = (size: number) => Math.floor(Math.log10(size));
  const least = 10 ** Math.max(powerOf(smallest), powerOf(most) - maxDecades, -300);
  const bend = (value: number) => Math.sign(value) * Math.log10(1 + Math.abs(value) / least);
  const [isNegative, isPositive] = [values.some((value) => value < 0), values.some((value) => value > 0)];
  const decades = Math.ceil(Math.log10(most / least));
  const step = Math.max(1, Math.ceil((decades + 1) / Math.max(count - 1, 1)));
  const powers = Array.from({ length: Math.floor(decades / step) + 1 }, (_, at) => least * 10 ** (at * step));
  const low = isNegative ? bend(-most) * 1.04 : 0;
  const high = isPositive ? bend(most) * 1.04 : 0;
  return {
    at: (value) => (bend(value) - low) / (high - low),
    ticks: [
      ...(isNegative ? powers.map((power) => -power).reverse() : []),
      0,
      ...(isPositive ? powers : []),
    ].filter((tick) => Math.abs(tick) <= most * 1.0001),
  };
}

/** True if the largest of some sizes makes another one invisible. @param sizes of things drawn beside each other */
export function differTooMuch(sizes: readonly number[]): boolean {
  const present = sizes.filter((size) => size > 0);
  return present.length > 1 && Math.max(...present) / Math.min(...present) > maxRatio;
}
