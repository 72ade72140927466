import { readHeader } from '../catalog/header/split-file.ts';
import type { Problem } from '../errors.ts';

/**
 * Problems of a key at its line in the header. Engines know the line of the SQL only, comparisons of files none, and their
 * messages begin with the path of the key: `columns.status: declared …`.
 */
export function atHeaderLines(
  problems: readonly Problem[],
  textOf: (file: string) => string | undefined,
): readonly Problem[] {
  return problems.map((problem) => {
    const { file, line, column, message } = problem;
    const [path] =
      /^(?:(?:columns|parameters)\.[\w.]+|shadow|deprecated\.successor)(?=:)/.exec(message) ?? [];
    if (file === undefined || column !== undefined || path === undefined) return problem;
    const text = textOf(file);
    const parts = text === undefined ? [] : readHeader(file, text);
    // Above the SQL, the line is that of the key already, but for line 1, where the header begins.
    if (!('header' in parts) || (line !== undefined && line > 1 && line < parts.sqlLine)) return problem;
    return { ...problem, line: parts.lineOf(path.split('.')) };
  });
}
