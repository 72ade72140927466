import type { Cost, Engine } from './engine.ts';

/** The counts of a cost, and how a fraction of one becomes a whole number. */
const wholeOf = { bytesProcessed: Math.ceil, bytesBilled: Math.ceil, slotMs: Math.round } as const;

const counts = Object.keys(wholeOf) as readonly (keyof typeof wholeOf)[];

/** True for a number that accounts and metrics can add up. */
export const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0;

/**
 * The same engine, whose costs are whole numbers: accounts, metrics and stored results take no others.
 *
 * @param warn called once for each count that is not a number from 0 on, and is left out for that
 */
export function withWholeCosts(engine: Engine, warn: (message: string) => void): Engine {
  const warned = new Set<string>();
  const wholeCost = (cost: Cost): Cost => {
    const wrong = counts.filter((name) => cost[name] !== undefined && !isCount(cost[name]));
    if (wrong.length === 0) return cost;
    const mended = wrong.map((name) => {
      const whole = wholeOf[name](cost[name] ?? 0);
      if (isCount(whole)) return [name, whole];
      if (!warned.has(name)) warn(`the engine reports ${name}: ${cost[name]}, which is not counted`);
      warned.add(name);
      return [name, undefined];
    });
    return { ...cost, ...Object.fromEntries(mended) };
  };
  return {
    ...engine,
    async run(bound, options) {
      const { onBill } = options;
      const rows = await engine.run(bound, {
        ...options,
        ...(onBill && { onBill: (cost) => onBill(wholeCost(cost)) }),
      });
      const cost = rows.cost && wholeCost(rows.cost);
      // `rows` may be a getter of a class.
      return cost === undefined || cost === rows.cost ? rows : { ...rows, rows: rows.rows, cost };
    },
  };
}
