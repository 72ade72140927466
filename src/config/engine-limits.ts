/** A number: the least and the most that may be set, and what it is otherwise. */
export interface NumberRule {
  readonly min: number;
  readonly max: number;
  readonly byDefault: number;
}

/** How many queries wait for each that may run, unless an option says how many in all. */
export const waitingForEach = 25;

const concurrency = { min: 1, max: 64, byDefault: 4 };

/** How many queries run at once, how many more wait, and how long one takes, in milliseconds. */
export const engineLimits = {
  engineConcurrency: concurrency,
  engineQueueLength: { min: 0, max: 100_000, byDefault: waitingForEach * concurrency.byDefault },
  engineTimeoutMs: { min: 1, max: 3_600_000, byDefault: 30_000 },
} as const satisfies Readonly<Record<string, NumberRule>>;

/** Of cached results in memory, in bytes. */
export const cacheMemory: NumberRule = { min: 1_000, max: 999_999e9, byDefault: 64_000_000 };

/** Of one answer to an agent: rows, and bytes of its text and of its structured rows. */
export const agentLimits = {
  maxRows: { min: 1, max: 10_000, byDefault: 100 },
  maxBytes: { min: 4_096, max: 1_000_000, byDefault: 32_768 },
} as const satisfies Readonly<Record<string, NumberRule>>;

export const numberText = ({ min, max }: Omit<NumberRule, 'byDefault'>): string =>
  `a whole number from ${min} to ${max}`;
