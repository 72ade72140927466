import type { Verdict } from './judge.ts';

/** A difference that we accept, and why. The goal is none: each of them will cost someone a surprise. */
export interface Explanation {
  /** The heading of the cases it covers. */
  readonly subject: string;
  /** What the SQL of these cases has in common. */
  readonly pattern: RegExp;
  /**
   * refused: the dialect says at start that it can't tell this, so nobody gets a wrong answer.
   * differs: the answers differ.
   */
  readonly kind: 'refused' | 'differs';
  readonly reason: string;
}

const inexactAverage =
  'the evaluator adds integers as floating-point numbers and loses the last digits of large ones; ours adds exactly.';
const nullsRespected = 'NULLs as values of their own (RESPECT NULLS): DuckDB leaves them out.';

const notParsed = (syntax: string) => `${syntax}: the parser does not read it; it is told with its place.`;

export const explanations: readonly Explanation[] = [
  { subject: 'AVG', pattern: /-9223372036854775808/, kind: 'differs', reason: inexactAverage },
  { subject: 'ARRAY_AVG', pattern: /-9223372036854775808/, kind: 'differs', reason: inexactAverage },
  { subject: 'APPROX_QUANTILES', pattern: /respect nulls/, kind: 'refused', reason: nullsRespected },
  { subject: 'PERCENTILE_CONT', pattern: /respect nulls/, kind: 'refused', reason: nullsRespected },
  { subject: 'PERCENTILE_DISC', pattern: /respect nulls/, kind: 'refused', reason: nullsRespected },
  { subject: 'FORMAT', pattern: /%P/, kind: 'refused', reason: '%P: DuckDB lays JSON out in another way.' },
  {
    subject: 'NORMALIZE',
    pattern: /NF(D|KC|KD)/,
    kind: 'refused',
    reason: 'NFD, NFKC and NFKD: DuckDB has NFC only.',
  },
  {
    subject: 'JSON_OBJECT',
    pattern: /json_object\(\[/,
    kind: 'refused',
    reason: 'names that are computed: a JSON object is built as a STRUCT, whose names stand in the query.',
  },
  {
    subject: 'EXTRACT',
    pattern: /extract\(datetime from/i,
    kind: 'refused',
    reason: notParsed('EXTRACT(DATETIME FROM …)'),
  },
  {
    subject: 'Literals: numbers',
    pattern: /\d\.(?!\d)/,
    kind: 'refused',
    reason: notParsed('5. without digits after the point'),
  },
  {
    subject: 'SELECT * REPLACE',
    pattern: /except/i,
    kind: 'refused',
    reason: notParsed('* EXCEPT … REPLACE …'),
  },
];

/** What excuses a difference, if anything does. */
export const explanationOf = (
  { case: { subject, sql }, ours }: Verdict,
  accepted: readonly Explanation[],
): Explanation | undefined =>
  accepted.find(
    (entry) =>
      entry.subject.toLowerCase() === subject.toLowerCase() &&
      entry.pattern.test(sql) &&
      (entry.kind === 'differs' || ('error' in ours && ours.stage === 'analysis')),
  );

/** Whether a query that is about no function in particular holds something whose answer differs, as explained. */
export const explains = (sql: string): boolean =>
  explanations.some(({ kind, pattern }) => kind === 'differs' && pattern.test(sql));

/** Explanations that explain nothing any longer: what they accept has been mended. */
export const unusedExplanations = (verdicts: readonly Verdict[]): readonly Explanation[] =>
  explanations.filter(
    (entry) => !verdicts.some((verdict) => verdict.verdict === 'differs' && explanationOf(verdict, [entry])),
  );
