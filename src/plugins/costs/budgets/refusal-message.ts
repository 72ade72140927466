import type { LimitState } from './ledger.ts';
import type { Limit } from './limits.ts';

const payerNames = { gateway: 'this gateway', key: 'this key', query: 'this query' } as const;

const shownIn = ({ unit }: Limit, count: number): string =>
  `${Math.round(count)} ${unit === 'bytes' ? 'bytes' : 'slot milliseconds'}`;

/** The message for a query that needs more than a budget ever has. */
export const neverMessage = (limit: Limit, needed: number): string =>
  `The budget ${limit.name} of ${payerNames[limit.payer]} never allows this query: it needs ${shownIn(limit, needed)}, and the budget has ${shownIn(limit, limit.amount)} in all; ask for less, or raise the budget`;

/** The message for a run that does not fit now. @param renewal in milliseconds since the epoch; undefined: when others have ended */
export function refusalMessage(
  limit: Limit,
  { spent, reserved }: LimitState,
  renewal: number | undefined,
): string {
  const { payer, name, amount } = limit;
  const shown = (count: number) => shownIn(limit, count);
  const also = reserved > 0 ? `, and ${shown(reserved)} are reserved for queries that run` : '';
  const next =
    renewal === undefined
      ? 'try again when these have ended'
      : `it is renewed at ${new Date(renewal).toISOString().replace(/\.\d+Z$/, 'Z')}`;
  return `The budget ${name} of ${payerNames[payer]} does not allow this query: ${shown(spent)} of ${shown(amount)} are spent${also}; ${next}`;
}
