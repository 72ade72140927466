import { rounded } from './left.ts';

/** A number as it is drawn, and all its digits. */
interface Drawn {
  readonly value: number;
  readonly text: string;
}

/** Exact for integers, which may have more digits than a number. */
export function sumOf(all: readonly Drawn[]): Drawn {
  const value = rounded(all.reduce((sum, one) => sum + one.value, 0));
  const isExact = all.every(({ text }) => /^-?\d+$/.test(text));
  return { value, text: String(isExact ? all.reduce((sum, { text }) => sum + BigInt(text), 0n) : value) };
}
