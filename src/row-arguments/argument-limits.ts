/** Limits of what one request may ask of the rows of a result. */
export const argumentLimits = {
  /** Comparisons and empty conditions together, with keys of the order and aggregates. */
  maxConditions: 100,
  /** Conditions inside each other. */
  maxConditionDepth: 10,
  /** Values of all lists of `in` together. */
  maxConditionValues: 1_000,
  /** Characters of a pattern of `like`: it is compared with every value. */
  maxLikeLength: 256,
} as const;
