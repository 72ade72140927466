import { githubAnnotation, printable as withoutControls } from 'querygate/catalog';
import type { Paint } from '../test/print-outcomes.ts';
import type { Level } from './levels.ts';
import { countLevels, type Report, type ReportedChange, type ReportedEndpoint } from './report.ts';

const colors = { breaking: 'red', dangerous: 'yellow', safe: 'green' } as const;

const width = 'dangerous'.length;

/** The report for people. */
export function reportText(report: Report, paint: Paint): string {
  const parts = [
    ...report.endpoints.map((endpoint) => endpointText(endpoint, paint)),
    ...report.notes.map((note) => `note: ${printable(note)}\n`),
    `${summary(report, paint)}\n`,
  ];
  return parts.join('\n');
}

function endpointText({ name, changes }: ReportedEndpoint, paint: Paint): string {
  const descriptions = changes.filter(({ kind }) => kind === 'description');
  const lines = changes
    .filter((change) => !descriptions.includes(change))
    .flatMap((change) => changeLines(change, paint));
  // Which descriptions have changed is seen in the files.
  const [first] = descriptions;
  if (first !== undefined) {
    const more = descriptions.length === 1 ? '' : `, and ${descriptions.length - 1} more of this kind`;
    lines.push(...changeLines({ ...first, message: `${first.message}${more}` }, paint).slice(0, 1));
  }
  return `${paint('bold', printable(name))}\n${lines.map((line) => `  ${line}\n`).join('')}`;
}

function changeLines(change: ReportedChange, paint: Paint): readonly string[] {
  const { level, rest, graphql, message, effect, place, before } = change;
  const levelText = paint(colors[level], level.padEnd(width));
  const shownPlace = place ?? before;
  const at = shownPlace === undefined ? '' : `${shownPlace.file}:${shownPlace.line} `;
  const was = place === undefined || before === undefined ? '' : ` (was in ${before.file}:${before.line})`;
  const judged = rest === graphql ? '' : `REST ${rest}, GraphQL ${graphql}: `;
  return [
    `${levelText}  ${printable(at + message)}${paint('dim', printable(was))}`,
    `${' '.repeat(width)}  ${paint('dim', printable(judged + withoutQuotes(effect)))}`,
  ];
}

/** Text on one line: GitHub's runner would execute a line that begins with `::` as a command. */
const printable = (text: string) => withoutControls(text).replace(/\s*\n\s*/g, ' ');

/** Names are in backquotes for Markdown. */
const withoutQuotes = (text: string) => text.replaceAll('`', '');

function summary(report: Report, paint: Paint): string {
  const { endpoints, unchanged } = report;
  const counts = countLevels(report);
  const same = `${unchanged} ${unchanged === 1 ? 'endpoint is' : 'endpoints are'} as at ${printable(report.ref)}`;
  if (endpoints.length === 0) return `no changes: ${same}`;
  const shown = (Object.keys(counts) as Level[])
    .filter((level) => counts[level] > 0)
    .map((level) => paint(colors[level], `${counts[level]} ${level}`));
  const total = counts.breaking + counts.dangerous + counts.safe;
  return `${shown.join(', ')} ${total === 1 ? 'change' : 'changes'} of ${endpoints.length} ${endpoints.length === 1 ? 'endpoint' : 'endpoints'}; ${same}`;
}

/** Annotations of GitHub Actions for what is not safe. */
export const annotations = ({ endpoints }: Report): string =>
  endpoints
    .flatMap(({ name, changes }) =>
      changes.flatMap(({ level, message, effect, place }) =>
        level === 'safe'
          ? []
          : githubAnnotation(
              { ...place, message: `${name}: ${message}: ${withoutQuotes(effect)}` },
              { title: `querygate diff: ${level}`, command: level === 'breaking' ? 'error' : 'warning' },
            ),
      ),
    )
    .join('');

/** The report for programs. */
export function reportJson(report: Report): string {
  const { ref, commit, endpoints, unchanged, notes } = report;
  const document = {
    ref,
    commit,
    ...countLevels(report),
    unchanged,
    endpoints: endpoints.map(({ name, changes }) => ({
      name,
      changes: changes.map(({ place, ...change }) => ({ ...change, ...place })),
    })),
    notes,
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}
