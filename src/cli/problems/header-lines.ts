import { readHeader } from '../../catalog/header/read-header.ts';
import type { Problem } from '../../errors.ts';

/**
 * Problems of a column or a parameter at its line in the header. Engines know the line of the SQL only, and their
 * messages begin with the path of the key: `columns.status: declared …`.
 */
export function atHeaderLines(
  problems: readonly Problem[],
  textOf: (file: string) => string | undefined,
): readonly Problem[] {
  return problems.map((problem) => {
    const { file, line, column, message } = problem;
    const [, section = '', name = ''] = /^(columns|parameters)\.([\w.]+)(?=:)/.exec(message) ?? [];
    if (file === undefined || column !== undefined || name === '') return problem;
    const text = textOf(file);
    const parts = text === undefined ? [] : readHeader(file, text);
    // Above the SQL, the line is that of the key already.
    if (!('header' in parts) || (line !== undefined && line < parts.sqlLine)) return problem;
    return { ...problem, line: parts.lineOf([section, ...name.split('.')]) };
  });
}
