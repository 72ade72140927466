/** How much a tool says. */
export interface Detail {
  /** The most that is said of columns. */
  readonly columns: 'meaning' | 'unit' | 'type' | 'nothing';
  /** True if descriptions are whole; false for their first sentence only. */
  readonly sentences: boolean;
  /** True if the values of enums are described. */
  readonly values: boolean;
  /** True if there are examples, formats of columns, and notes on the rows. */
  readonly extras: boolean;
}

/** From the most to the least. The meanings of values are left out last, because a model cannot guess them. */
export const details: readonly [Detail, ...Detail[]] = [
  { columns: 'meaning', sentences: true, values: true, extras: true },
  { columns: 'unit', sentences: true, values: true, extras: true },
  { columns: 'type', sentences: true, values: true, extras: true },
  { columns: 'type', sentences: false, values: true, extras: true },
  { columns: 'type', sentences: false, values: false, extras: true },
  { columns: 'type', sentences: false, values: false, extras: false },
  { columns: 'nothing', sentences: false, values: false, extras: false },
];

const maxShortened = 80;

/** The first sentence of a text; of a long one its beginning. */
export function shortened(text: string): string {
  const [first = ''] = text.split(/(?<=[.;])\s/, 1);
  const sentence = first.replace(/[.;]$/, '');
  return sentence.length <= maxShortened
    ? sentence
    : `${sentence.slice(0, maxShortened).replace(/\s+\S*$/, '')}…`;
}
