import type { Cost, Engine, Rows } from './engine.ts';

/** All members of a cost. */
const costMembers: Readonly<Record<keyof Cost, true>> = {
  ...{ bytesProcessed: true, bytesBilled: true, slotMs: true, cacheHit: true, jobId: true },
};

/** The counts of a cost, and how a fraction of one becomes a whole number. */
const wholeOf = { bytesProcessed: Math.ceil, bytesBilled: Math.ceil, slotMs: Math.round } as const;

const counts = Object.keys(wholeOf) as readonly (keyof typeof wholeOf)[];

/** The types of its other members. */
const typeOf = { cacheHit: 'boolean', jobId: 'string' } as const;

const others = Object.keys(typeOf) as readonly (keyof typeof typeOf)[];

const members: Readonly<Record<Exclude<keyof Rows, 'cost' | 'rows'>, true>> = {
  ...{ document: true, truncated: true, computedAt: true },
  ...{ dataVersion: true, columns: true, state: true },
};

/** The members may be getters of a class, which a spread leaves out. */
const copyOf = <T extends object>(all: T, names: Readonly<Partial<Record<keyof T, true>>>): T =>
  Object.fromEntries(
    (Object.keys(names) as (keyof T)[])
      .map((name) => [name, all[name]])
      .filter(([, value]) => value !== undefined),
  );

/** Rows that are a document are made only for those that read them. */
const withCost = (rows: Rows, cost: Cost): Rows => {
  if (rows.document === undefined) return { ...copyOf(rows, { ...members, rows: true }), cost };
  return Object.defineProperty({ ...copyOf(rows, members), cost }, 'rows', {
    get: () => rows.rows,
    enumerable: true,
  });
};

/** True for a number that accounts and metrics can add up. */
export const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0;

/**
 * The same engine, whose costs have whole numbers, and each member its type: accounts, headers and stored results take no others.
 *
 * @param warn called once for each count that is not a number from 0 on, or member of another type, which is left out for that
 */
export function withWholeCosts(engine: Engine, warn: (message: string) => void): Engine {
  const warned = new Set<string>();
  const leaveOut = (cost: Cost, name: keyof Cost, reason: string) => {
    if (!warned.has(name)) warn(`the engine reports ${name}: ${cost[name]}, which is not ${reason}`);
    warned.add(name);
    return [name, undefined] as const;
  };
  const wholeCost = (cost: Cost): Cost => {
    const wrong = counts.filter((name) => cost[name] !== undefined && !isCount(cost[name]));
    const ofOtherTypes = others.filter(
      (name) => cost[name] !== undefined && typeof cost[name] !== typeOf[name],
    );
    if (wrong.length === 0 && ofOtherTypes.length === 0) return cost;
    const mended = wrong.map((name) => {
      const whole = wholeOf[name](cost[name] ?? 0);
      return isCount(whole) ? [name, whole] : leaveOut(cost, name, 'counted');
    });
    const left = ofOtherTypes.map((name) => leaveOut(cost, name, `a ${typeOf[name]}`));
    return { ...copyOf(cost, costMembers), ...Object.fromEntries([...mended, ...left]) };
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
      return cost === undefined || cost === rows.cost ? rows : withCost(rows, cost);
    },
  };
}
