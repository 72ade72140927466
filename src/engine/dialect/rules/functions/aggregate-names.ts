import { aggregates } from './aggregate-table.ts';

/** Whether a function aggregates rows when it has no OVER. */
export const isAggregateName = (name: string): boolean =>
  Object.hasOwn(aggregates, name) && !aggregates[name]?.window;
