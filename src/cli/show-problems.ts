import type { FilesReport } from '../gateway/reload/files-report.ts';
import { withSources } from './problems/print-problems.ts';

/** Shows on the terminal which files are broken, each problem at its place in the source, and which are mended. */
export function showFiles({ broken, mended }: FilesReport): void {
  const texts = broken.map(
    ({ problems, isServed }) =>
      `${withSources(problems)}${isServed ? 'Its last good version is served.' : 'It is not served.'}\n\n`,
  );
  if (mended.length > 0) texts.push(`No longer broken: ${mended.join(', ')}\n`);
  process.stderr.write(`\n${texts.join('')}`);
}
