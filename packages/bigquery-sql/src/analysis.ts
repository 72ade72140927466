/**
 * Facts about the rows of a compiled query: which tables it reads without regard to a tenant, which columns are NULL,
 * where they come from.
 */
export { columnOrigin, type FieldOrigin } from './analysis/column-origin.ts';
export { equalityColumns } from './analysis/equality-columns.ts';
export { isNeverNull } from './analysis/never-null.ts';
export { tablesRead } from './analysis/tables-read.ts';
export type { TenantParameter } from './analysis/tenant-conditions.ts';
export { unfilteredTables } from './analysis/tenant-filter.ts';
export { hasOrder, readsClock, type UndefinedOrders, undefinedOrders } from './analysis/undefined-order.ts';
export { zoneParameters } from './analysis/zone-parameters.ts';
export { zoneProblem } from './rules/moment-text.ts';
