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
  /** What could be written instead. */
  readonly instead: string;
  /** The value of the literal, or the values of a list, as a caller would send them. */
  readonly default: string | readonly string[];
  /** The least and the greatest value: beyond them there are no tables, or no rows. */
  readonly bounds?: Bounds;
  /** What the parameter means, if its use says so. */
  readonly description: string | undefined;
}

/** Of a parameter, as a header writes them. */
export interface Bounds {
  readonly min?: string;
  readonly max?: string;
}

/** What a caller may choose in the place of a literal. */
export interface Choice extends Pick<LiteralProposal, 'kind' | 'description' | 'bounds'> {
  readonly value: LiteralProposal['default'];
  /** The name of the parameter, which gets a number if another value has it. */
  readonly base: string;
  /** What is written in the place of the literal; the parameter alone if it is absent. */
  readonly instead?: (parameter: string) => string;
}

/** Whether callers often choose such a literal. */
export const isUsual = ({ kind }: Pick<LiteralProposal, 'kind'>): boolean =>
  kind !== 'limit' && kind !== 'value';
