import { type Explanation, explanationOf } from './accepted-differences.ts';
import type { Kind } from './cases.ts';
import type { Verdict } from './judge.ts';
import { type Answer, showAnswer, showRow } from './values.ts';

/** What one function or construct came to. */
export interface Score {
  readonly subject: string;
  readonly kind: Kind;
  readonly cases: number;
  readonly agreed: number;
  /** Differences that are accepted: the dialect refuses the query, or its answer is another. */
  readonly refused: number;
  readonly explained: number;
  /** Whether the reference was asked in other words in any case. */
  readonly statedReference: boolean;
  /** The differences nobody has explained. */
  readonly differences: readonly Verdict[];
  /** Cases that say nothing: the query is wrong, or the reference does not know the function. */
  readonly useless: readonly Verdict[];
}

export function scoresOf(verdicts: readonly Verdict[], accepted: readonly Explanation[]): readonly Score[] {
  const bySubject = Map.groupBy(verdicts, (verdict) => `${verdict.case.kind} ${verdict.case.subject}`);
  return [...bySubject.values()]
    .map((group) => ({ group, first: (group[0] as Verdict).case }))
    .map(({ group, first: { subject, kind } }) => ({ subject, kind, ...countsOf(group, accepted) }))
    .sort((a, b) => (a.subject < b.subject ? -1 : 1));
}

function countsOf(
  verdicts: readonly Verdict[],
  accepted: readonly Explanation[],
): Omit<Score, 'subject' | 'kind'> {
  const useful = verdicts.filter(({ verdict }) => verdict === 'agrees' || verdict === 'differs');
  const differing = useful.filter(({ verdict }) => verdict === 'differs');
  const kinds = differing.map((verdict) => explanationOf(verdict, accepted)?.kind);
  return {
    cases: useful.length,
    agreed: useful.length - differing.length,
    refused: kinds.filter((kind) => kind === 'refused').length,
    explained: kinds.filter((kind) => kind === 'differs').length,
    statedReference: useful.some(({ case: { sql, referenceSql } }) => sql !== referenceSql),
    differences: differing.filter((_, at) => kinds[at] === undefined),
    useless: verdicts.filter((verdict) => !useful.includes(verdict)),
  };
}

/** One line a function or construct. */
export const summarise = (scores: readonly Score[]): string =>
  scores
    .map(({ subject, kind, cases, agreed, refused, explained, differences, useless }) =>
      [
        kind.padEnd(11),
        subject.padEnd(36),
        `${agreed}/${cases}`.padStart(9),
        refused > 0 ? `  ${refused} refused` : '',
        explained > 0 ? `  ${explained} explained` : '',
        differences.length > 0 ? `  ${differences.length} DIFFER` : '',
        useless.length > 0 ? `  ${useless.length} USELESS` : '',
      ].join(' '),
    )
    .join('\n');

/** The differences with both answers, by function, for whoever mends them: a few of each sort. */
export const describeDifferences = (scores: readonly Score[]): string =>
  scores
    .filter(({ differences, useless }) => differences.length + useless.length > 0)
    .map(({ subject, differences, useless, cases }) =>
      [
        `## ${subject}: ${differences.length} of ${cases} differ\n`,
        ...[...Map.groupBy([...differences, ...useless], sortOf)].map(([sort, group]) =>
          describeSort(sort, group),
        ),
      ].join('\n'),
    )
    .join('\n\n');

const shownPerSort = 8;

/** Equal refusals are one sort, and so are the other differences of one line of the case files. */
function sortOf({ verdict, ours, case: { template } }: Verdict): string {
  if (verdict !== 'differs') return verdict;
  if ('error' in ours && ours.stage !== 'evaluation') return `${ours.stage}: ${oneLine(ours.error)}`;
  return `${template.file}:${template.line}`;
}

function describeSort(sort: string, group: readonly Verdict[]): string {
  const shown = group.slice(0, sort.startsWith('analysis') ? 2 : shownPerSort);
  return [`### ${sort} (${group.length})`, ...shown.map(describe)].join('\n');
}

function describe({ case: { sql }, ours, reference }: Verdict): string {
  return [
    `- \`${sql}\``,
    `  - reference: ${oneLine(showBeside(reference, ours))}`,
    `  - ours:      ${oneLine(showBeside(ours, reference))}`,
  ].join('\n');
}

/** Of answers with many rows, the first row that the other answer does not have there. */
function showBeside(answer: Answer, other: Answer): string {
  if ('error' in answer || 'error' in other || answer.rows.length < 6) return showAnswer(answer);
  const at = answer.rows.findIndex((row, n) => showRow(row) !== showRow(other.rows[n] ?? []));
  return at < 0
    ? showAnswer(answer)
    : `row ${at + 1} of ${answer.rows.length}: ${showRow(answer.rows[at] ?? [])}`;
}

const oneLine = (text: string) => text.replaceAll('\n', ' ⏎ ').slice(0, 400);
