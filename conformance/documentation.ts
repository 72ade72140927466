import { explanations } from './accepted-differences.ts';
import { unsupportedConstructs, unsupportedFunctions } from './dialect.ts';
import type { Score } from './report.ts';

/** The text of docs/dialect.md. */
export function documentDialect(scores: readonly Score[]): string {
  const of = (kind: Score['kind'], refused?: ReadonlyMap<string, string>) =>
    scores.filter(
      (score) => score.kind === kind && score.cases > 0 && !refused?.has(score.subject.toLowerCase()),
    );
  const [functions, constructs, queries] = [
    of('function', unsupportedFunctions),
    of('construct', unsupportedConstructs),
    of('query'),
  ];
  const cases = scores.reduce((sum, score) => sum + score.cases, 0);
  return `${[
    '# BigQuery SQL on DuckDB: what is supported',
    introduction(functions.length, constructs.length, cases),
    table('Functions', supportHeads, functions.map(supportRow)),
    table('Constructs', supportHeads, constructs.map(supportRow)),
    table('Shipped queries', ['Query', 'Cases'], queries.map(countRow)),
    table('Random compositions of the above', ['Type', 'Cases'], of('composition').map(countRow)),
    table('Refused functions', ['Function', 'Why'], reasonRows(unsupportedFunctions)),
    table('Refused constructs', ['Construct', 'Why'], reasonRows(unsupportedConstructs)),
  ].join('\n\n')}\n`;
}

const introduction = (functions: number, constructs: number, cases: number) =>
  `Written by \`npm run conformance\`, which asks DuckDB and GoogleSQL's reference evaluator the same questions; do not
edit. ${functions} functions and ${constructs} constructs in ${cases} cases, errors included: where the reference fails, so do we. A
function that the evaluator lacks is judged by a reference of its own, stated with the case in \`conformance/cases\`.
What is not in these tables is refused at start, with file, line and column.`;

const supportHeads = ['Name', 'Cases', 'Judged by', 'Refused parts and accepted differences'];

function supportRow({ subject, cases, statedReference, differences }: Score): readonly string[] {
  const notes = explanations.filter((entry) => entry.subject === subject);
  const told = notes.map(({ kind, reason }) => `${kind === 'refused' ? 'Refused' : 'Differs'}: ${reason}`);
  if (differences.length > 0) told.unshift(`**${differences.length} cases differ.**`);
  return [
    `\`${subject}\``,
    String(cases),
    statedReference ? 'stated reference' : 'GoogleSQL',
    told.join(' '),
  ];
}

const countRow = ({ subject, cases }: Score): readonly string[] => [`\`${subject}\``, String(cases)];

const reasonRows = (refused: ReadonlyMap<string, string>) =>
  [...refused]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, reason]) => [`\`${name.toUpperCase()}\``, reason]);

function table(title: string, heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [`## ${title}\n`, line(heads), line(heads.map(() => '---')), ...rows.map(line)].join('\n');
}
