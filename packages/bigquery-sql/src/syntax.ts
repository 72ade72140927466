/** GoogleSQL as it is written: tokens, and a tree with the place of every node. */
export { functionNames } from './rules/functions/function-names.ts';
export { unsupportedFunctions } from './rules/functions/unsupported-names.ts';
export { drawsValues } from './rules/javascript-call.ts';
export { tableReferences } from './rules/queries/table-references.ts';
export { isReserved } from './syntax/lexer/keywords.ts';
export { tokenize } from './syntax/lexer/tokenize.ts';
export type { Token } from './syntax/lexer/tokens.ts';
export { type ParameterPlace, parameterPlaces, tableParameters } from './syntax/named-parameters.ts';
export type * as Syntax from './syntax/nodes.ts';
export type { Expression, Node, Select } from './syntax/nodes.ts';
export { type OutsideNames, type OutsideTable, outsideNames } from './syntax/outside-names.ts';
export { parseAsserts, parseDefinitions, parseQuery } from './syntax/parse-query.ts';
export { SyntaxProblem } from './syntax/syntax-problem.ts';
export { childrenOf, skip, walk } from './syntax/walk.ts';
