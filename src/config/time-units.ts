/** Milliseconds of the units in which times are written. */
export const timeUnits: Readonly<Record<string, number>> = {
  ...{ s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 },
};
