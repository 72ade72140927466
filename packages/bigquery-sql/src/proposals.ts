/** What SQL by itself says of its parameters and columns. */
export type { DescribedParameter } from './proposals/describe-parameters.ts';
export { type DescribedColumn, describeSql, type SqlDescription } from './proposals/describe-sql.ts';
export { tenantColumns } from './proposals/tenant-columns.ts';
