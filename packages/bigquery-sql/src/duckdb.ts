/** Runs compiled queries on a connection of DuckDB: settings, macros, host functions, plans, bindings, sessions. */

export type { RowCondition } from './analysis/row-conditions.ts';
export { bigqueryType, scalarNames } from './duckdb/bigquery-type.ts';
export { type Bindings, bindingOf, bindingsOf, bindTo } from './duckdb/bindings.ts';
export { buildCompute, type Compute, computeTimes } from './duckdb/compute-constants.ts';
export { ApartCalls, tooMuchText, tooSlow } from './duckdb/host/apart-calls.ts';
export { callsHost, runCallingHost } from './duckdb/host/exit-guard.ts';
export { type HostWorks, registerHostFunctions } from './duckdb/host/host-functions.ts';
export { callerLimits, HostWork, savedLimits } from './duckdb/host/host-work.ts';
export { nextStatement } from './duckdb/host/javascript-functions.ts';
export { type Answer, computeInThread, endStatement } from './duckdb/javascript/javascript-thread.ts';
export { keepByteOrderMarks } from './duckdb/keep-byte-order-marks.ts';
export { hasOnlyValuesOf } from './duckdb/layout/checked-types.ts';
export { columnType } from './duckdb/layout/column-type.ts';
export { reservedName } from './duckdb/layout/reserved-name.ts';
export type { ErrorSql, SourceValue } from './duckdb/layout/scalar-value.ts';
export {
  parseRepeatedRecord,
  repeatedRecordError,
  type ShreddedColumn,
  shreddedColumns,
  storedColumns,
} from './duckdb/layout/shredded-columns.ts';
export { describeSource, errorInTry, storedValue } from './duckdb/layout/stored-value.ts';
export {
  type Column,
  columnsOf,
  isPlainText,
  pathsBeyondInt64,
  pathsWhere,
  sampledRows,
  sampledValues,
} from './duckdb/layout/value-paths.ts';
export { describeWideDecimal, wideDecimalSql } from './duckdb/layout/wide-decimals.ts';
export type { Cell, Explanation, Failure, Outcome, Result, StatementProblem } from './duckdb/outcome.ts';
export {
  boundRelation,
  callerPlan,
  customPlan,
  type FileRead,
  type FinishPlan,
  genericPlan,
  type Plan,
  type PlanInFiles,
  type PlannedColumn,
  printPlan,
} from './duckdb/plan.ts';
export { planProblem } from './duckdb/plan-problem.ts';
export { readRows } from './duckdb/read-rows.ts';
export {
  explainStatement,
  type RunLimits,
  runStatement,
  type Statement,
  type StatementContext,
} from './duckdb/run-statement.ts';
export { withCountsForServer } from './duckdb/server/server-counts.ts';
export { notOnServerText, serverMacros } from './duckdb/server/server-macros.ts';
export { type ServerText, serverText } from './duckdb/server/server-text.ts';
export { sessionSettings } from './duckdb/session-settings.ts';
export type { DataRow } from './files/data-row.ts';
export { calledMacros } from './macros/called-macros.ts';
export { macroDefinitions } from './macros/macros.ts';
export { type OutlinePlan, planByOutline } from './sandbox/plan-by-outline.ts';
