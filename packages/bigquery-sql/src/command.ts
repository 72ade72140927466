/** The parts that commands running SQL share: parameters, statements, output. */
export { outcomeJson, outcomeText } from './command/output.ts';
export {
  applyParameters,
  commandError,
  type Parameter,
  parseParameters,
  stringParameters,
} from './command/parameter-option.ts';
export { readStatements } from './command/read-statements.ts';
export {
  areMoments,
  areWideIntegers,
  lineEndProblem,
  separatorOf,
  type TextStart,
  textStart,
} from './command/csv-file.ts';
