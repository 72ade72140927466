/** What commands that run SQL share: parameters, statements of a text, output. */
export { outcomeJson, outcomeText } from './command/output.ts';
export {
  applyParameters,
  commandError,
  type Parameter,
  parseParameters,
} from './command/parameter-option.ts';
export { splitStatements } from './command/split-statements.ts';
