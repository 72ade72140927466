import { separatorOf, textStart } from '@querygate/bigquery-sql/command';

/** Why the header of a CSV file does not name the columns of its rows; undefined if it may. */
export async function headerProblem(path: string): Promise<string | undefined> {
  const { header, problem, wrongLine } = await textStart(path);
  // Of other lines, the import leaves out those that are not UTF-8.
  if (problem !== undefined && wrongLine === 1) return problem;
  if (header.includes('\r')) return "must have lines that end in LF or CRLF; they end in CR: tr '\\r' '\\n'";
  const separator = separatorOf(header) ?? ',';
  if (separator === ',') return undefined;
  return `must have values separated by commas, found ${separator === '\t' ? 'tabs' : separator}; save it with commas`;
}
