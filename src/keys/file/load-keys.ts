import { readFileSync } from 'node:fs';
import { type Problem, StartError } from '../../errors.ts';
import type { KeyEntry } from './key-schema.ts';
import { type ParsedKeys, parseKeys } from './parse-keys.ts';

/** The text of a key file. @throws StartError where it cannot be read */
export function loadKeyText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const message = `cannot be read (${code}); API_KEYS_FILE must name a file that \`npm run keys -- create\` has made`;
    throw wrongFile([{ file, message }]);
  }
}

/**
 * The keys of a text in which nothing is wrong.
 *
 * @param file the path that messages show
 * @param alsoWrong what is to be found beside the problems of the text itself
 * @throws StartError with every problem, each with its line
 */
export function requireKeys(
  file: string,
  text: string,
  alsoWrong: (parsed: ParsedKeys) => readonly Problem[] = () => [],
): readonly KeyEntry[] {
  const parsed = parseKeys(file, text);
  const problems = [...parsed.problems, ...alsoWrong(parsed)];
  if (problems.length > 0) throw wrongFile(problems);
  return parsed.keys;
}

function wrongFile(problems: readonly Problem[]): StartError {
  return new StartError('The key file has problems', problems);
}
