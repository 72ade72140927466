/** Statements made from others, as texts: their rows contain those of the others. */
export { requireExactSums } from './derive/undefined-values.ts';
export { dividesList } from './derive/divides-list.ts';
export { separateColumns } from './derive/separate-columns.ts';
export { type SharedStatement, shareTenants } from './derive/share-tenants.ts';
export { editText, NotDerivable, type TextEdit } from './derive/edit-text.ts';
export { type Increment, planIncrement, windowMicros } from './derive/increment.ts';
export { type Narrowed, narrowWindow } from './derive/narrow-window.ts';
export type { TimeRange } from './derive/time-ranges.ts';
