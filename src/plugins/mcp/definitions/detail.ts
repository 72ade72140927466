/** How much a tool says. */
export interface Detail {
  /** What is said of columns. */
  readonly columns: 'meaning' | 'unit' | 'type' | 'nothing';
  /** Whether descriptions are whole, or their first sentence. */
  readonly sentences: boolean;
  /** Whether the values of enums are described. */
  readonly values: boolean;
  /** Whether there are examples, formats of columns, and what is said of the rows besides. */
  readonly extras: boolean;
}

/** From the most to the least. What the values mean is what a model cannot guess: it is left out last. */
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
