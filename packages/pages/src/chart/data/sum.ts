import { numberOf } from './columns.ts';
import { rounded } from './left.ts';

/** A number as it is drawn, and all its digits. */
interface Drawn {
  readonly value: number;
  readonly text: string;
}

/** Exact for integers, which may have more digits than a number. @returns undefined if it is too large to be drawn */
export function sumOf(all: readonly Drawn[]): Drawn | undefined {
  const value = rounded(all.reduce((sum, one) => sum + one.value, 0));
  if (numberOf(value) === undefined) return undefined;
  const isExact = all.every(({ text }) => /^-?\d+$/.test(text));
  return { value, text: String(isExact ? all.reduce((sum, { text }) => sum + BigInt(text), 0n) : value) };
}
