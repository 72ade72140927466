/** The typed tree of a query: its kinds of node, what builds, walks and prints it. */
export { type Compiled, compile as compileTree, type ListedView, requireNow, tablesOf } from './compile.ts';
export { isViewName } from './rules/from/described-tables.ts';
export { readStored, schemaTables } from './rules/from/table-relations.ts';
export {
  call,
  caseWhen,
  castTo,
  column,
  compareWith,
  concatTexts,
  integerLiteral,
  isNull,
  list,
  not,
  nullLiteral,
  operation,
  struct,
  textLiteral,
  transformList,
} from './tree/build.ts';
export { freshNames } from './tree/fresh-names.ts';
export { forEachNode, type Mapper, mapExpressions, mapParts } from './tree/map.ts';
export type { Expression, From, Member, Query, RecordValue } from './tree/nodes.ts';
export { nowParameter, userParameter } from './tree/own-parameters.ts';
export { printExpression, printQuery } from './tree/print.ts';
export { quoteText } from './tree/quote-text.ts';
export {
  layoutColumns,
  type Origin,
  type StoredColumn,
  type StoredTable,
  storedValue,
} from './tree/stored-table.ts';
