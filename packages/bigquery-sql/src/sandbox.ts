/** SQL of strangers over the common tables of a query. */
export { bindValues } from './rules/bind-values.ts';
export { columnName } from './sandbox/check-columns.ts';
export { type Explainer, openExplainer } from './sandbox/explain.ts';
export type { ExportedTable } from './sandbox/exported-table.ts';
export { type JudgedSql, openSandbox, type Sandbox } from './sandbox/open-sandbox.ts';
export { judgeByOutline, type Outline, storedTypes } from './sandbox/outline.ts';
export type { TableRead } from './sandbox/table-reads.ts';
