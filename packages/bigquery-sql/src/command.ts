/** The parts that commands running SQL share: parameters, statements, output, and how data files are written. */

export {
  areMoments,
  areWideIntegers,
  fileReason,
  globText,
  isoDates,
  lineEndProblem,
  separatorOf,
  textStart,
} from './command/csv-file.ts';
export { outcomeJson, outcomeText } from './command/output.ts';
export {
  applyParameters,
  commandError,
  type Parameter,
  parseParameters,
  stringParameters,
} from './command/parameter-option.ts';
export { inputText, readStatements } from './command/read-statements.ts';
export { decompress, readBytes } from './files/file-bytes.ts';
