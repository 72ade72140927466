/** A literal that could be a parameter. */
export interface LiteralProposal {
  /** The offset of the literal in the SQL. */
  readonly start: number;
  readonly end: number;
  /** As it is written. */
  readonly text: string;
  /** Dates, ids and intervals are often chosen by callers; the limit, and other values, only on request. */
  readonly kind: 'date' | 'id' | 'interval' | 'limit' | 'value';
  /** The name of the parameter; equal literals of the same use have one name. */
  readonly name: string;
  /** The text that could be written instead. */
  readonly instead: string;
  /** The value of the literal, or the values of a list, as a caller would send them. */
  readonly default: string | readonly string[];
  /** The least and the greatest value: beyond them there are no tables, or no rows. */
  readonly bounds?: Bounds;
  /** The parameter's meaning, if its use shows it. */
  readonly description: string | undefined;
}

/** Of a parameter, as a header writes them. */
export interface Bounds {
  readonly min?: string;
  readonly max?: string;
}

/** A value that a caller may choose in place of a literal. */
export interface Choice extends Pick<LiteralProposal, 'kind' | 'description' | 'bounds'> {
  readonly value: LiteralProposal['default'];
  /** The name of the parameter, which gets a number if another value has it. */
  readonly base: string;
  /** Gives the text that replaces the literal; the parameter alone if absent. */
  readonly instead?: (parameter: string) => string;
}

/** True if callers often choose such a literal. */
export const isUsual = ({ kind }: Pick<LiteralProposal, 'kind'>): boolean =>
  kind !== 'limit' && kind !== 'value';
