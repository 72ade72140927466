import { type AcceptedDifference, acceptedDifferenceOf } from './accepted-differences.ts';
import type { Kind } from './cases.ts';
import type { Verdict } from './judge.ts';
import { type Answer, showAnswer, showRow } from './values.ts';

/** The result for one function or construct. */
export interface Score {
  readonly subject: string;
  readonly kind: Kind;
  /** The name of the file of its cases. */
  readonly group: string;
  readonly cases: number;
  readonly agreeing: number;
  /** Accepted differences: the dialect does not support the query, or its answer differs. */
  readonly unsupported: number;
  readonly accepted: number;
  /** Whether the reference ran an equivalent query in any case. */
  readonly statedReference: boolean;
  /** The differences that are not accepted. */
  readonly differences: readonly Verdict[];
  /** Cases without a verdict: the query is wrong, or the reference does not know the function. */
  readonly invalid: readonly Verdict[];
}

export function scoresOf(
  verdicts: readonly Verdict[],
  accepted: readonly AcceptedDifference[],
): readonly Score[] {
  const bySubject = Map.groupBy(verdicts, (verdict) => `${verdict.case.kind} ${verdict.case.subject}`);
  return [...bySubject.values()]
    .map((group) => ({ group, first: (group[0] as Verdict).case }))
    .map(({ group, first: { subject, kind, template } }) => ({
      subject,
      kind,
      group: caseGroup(template.file),
      ...countsOf(group, accepted),
    }))
    .sort((a, b) => (a.subject < b.subject ? -1 : 1));
}

export const caseGroup = (file: string): string => file.replace(/\.\w+$/, '').replaceAll('-', ' ');

function countsOf(
  verdicts: readonly Verdict[],
  accepted: readonly AcceptedDifference[],
): Omit<Score, 'subject' | 'kind' | 'group'> {
  const useful = verdicts.filter(({ verdict }) => verdict === 'agrees' || verdict === 'differs');
  const differing = useful.filter(({ verdict }) => verdict === 'differs');
  const kinds = differing.map((verdict) => acceptedDifferenceOf(verdict, accepted)?.kind);
  return {
    cases: useful.length,
    agreeing: useful.length - differing.length,
    unsupported: kinds.filter((kind) => kind === 'unsupported').length,
    accepted: kinds.filter((kind) => kind === 'differs').length,
    statedReference: useful.some(({ case: { sql, referenceSql } }) => sql !== referenceSql),
    differences: differing.filter((_, at) => kinds[at] === undefined),
    invalid: verdicts.filter((verdict) => !useful.includes(verdict)),
  };
}

/** One line for each function or construct. */
export const summarise = (scores: readonly Score[]): string =>
  scores
    .map(({ subject, kind, cases, agreeing, unsupported, accepted, differences, invalid }) =>
      [
        kind.padEnd(11),
        subject.padEnd(36),
        `${agreeing}/${cases}`.padStart(9),
        unsupported > 0 ? `  ${unsupported} unsupported` : '',
        accepted > 0 ? `  ${accepted} accepted` : '',
        differences.length > 0 ? `  ${differences.length} DIFFER` : '',
        invalid.length > 0 ? `  ${invalid.length} INVALID` : '',
      ].join(' '),
    )
    .join('\n');

/** The differences with both answers, by function: a few of each group. */
export const describeDifferences = (scores: readonly Score[]): string =>
  scores
    .filter(({ differences, invalid }) => differences.length + invalid.length > 0)
    .map(({ subject, differences, invalid, cases }) =>
      [
        `## ${subject}: ${differences.length} of ${cases} differ\n`,
        ...[...Map.groupBy([...differences, ...invalid], groupOf)].map(([title, group]) =>
          describeGroup(title, group),
        ),
      ].join('\n'),
    )
    .join('\n\n');

const shownPerGroup = 8;

/** Groups equal error messages, and all other differences by the line of the case file. */
function groupOf({ verdict, ours, case: { template } }: Verdict): string {
  if (verdict !== 'differs') return verdict;
  if ('error' in ours && ours.stage !== 'evaluation') return `${ours.stage}: ${oneLine(ours.error)}`;
  return `${template.file}:${template.line}`;
}

function describeGroup(title: string, group: readonly Verdict[]): string {
  const shown = group.slice(0, title.startsWith('analysis') ? 2 : shownPerGroup);
  return [`### ${title} (${group.length})`, ...shown.map(describe)].join('\n');
}

function describe({ case: { sql }, ours, reference }: Verdict): string {
  return [
    `- \`${sql}\``,
    `  - reference: ${oneLine(showBeside(reference, ours))}`,
    `  - ours:      ${oneLine(showBeside(ours, reference))}`,
  ].join('\n');
}

/** Of answers with many rows, the first row that differs from the other answer. */
function showBeside(answer: Answer, other: Answer): string {
  if ('error' in answer || 'error' in other || answer.rows.length < 6) return showAnswer(answer);
  const at = answer.rows.findIndex((row, n) => showRow(row) !== showRow(other.rows[n] ?? []));
  return at < 0
    ? showAnswer(answer)
    : `row ${at + 1} of ${answer.rows.length}: ${showRow(answer.rows[at] ?? [])}`;
}

const oneLine = (text: string) => text.replaceAll('\n', ' ⏎ ').slice(0, 400);
