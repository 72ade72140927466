import { readFileSync } from 'node:fs';
import { decodeUtf8, NotUtf8 } from '@querygate/text';
import { type Problem, StartError } from '../../errors.ts';
import { pathProblem } from '../../files/path-problem.ts';
import { type ParsedKeys, parseKeys } from './parse-keys.ts';

/** The text of a key file. @throws StartError if it cannot be read */
export function loadKeyText(file: string): string {
  try {
    return decodeUtf8(readFileSync(file));
  } catch (error) {
    if (error instanceof NotUtf8) throw fileError([{ file, line: error.line, message: error.message }]);
    const { code } = error as NodeJS.ErrnoException;
    const advice = code === 'ENOENT' ? '; `querygate keys create` makes one' : '';
    throw fileError([{ file, message: `cannot be read ${pathProblem(file, error, 'file')}${advice}` }]);
  }
}

/**
 * The keys of a valid key file.
 *
 * @param file the path that messages show
 * @param moreProblems finds problems that the file's schema does not cover
 * @throws StartError with every problem, each with its line
 */
export function requireKeys(
  file: string,
  text: string,
  moreProblems: (parsed: ParsedKeys) => readonly Problem[] = () => [],
): ParsedKeys {
  const parsed = parseKeys(file, text);
  const problems = [...parsed.problems, ...moreProblems(parsed)];
  if (problems.length > 0) throw fileError(problems);
  return parsed;
}

function fileError(problems: readonly Problem[]): StartError {
  return new StartError('The key file has problems', problems);
}
