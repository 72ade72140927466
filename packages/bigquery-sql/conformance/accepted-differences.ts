import type { Verdict } from './judge.ts';

/** A difference that we accept, and why. The goal is to have none, because each one surprises a user. */
export interface AcceptedDifference {
  /** The heading of the cases it covers. */
  readonly subject: string;
  /** Matches the SQL of these cases. */
  readonly pattern: RegExp;
  /**
   * unsupported: the dialect rejects the query at start, so no caller gets a wrong answer. differs: the answers differ.
   */
  readonly kind: 'unsupported' | 'differs';
  readonly reason: string;
}

const inexactAverage = 'the evaluator loses the last digits of large integers; DuckDB adds exactly.';
const respectNulls = 'RESPECT NULLS: DuckDB always ignores NULLs here.';

const otherBuckets = "values of other types, which BigQuery's reference does not mention.";

const brokenJson = 'broken JSON gives NULL; the evaluator reads as far as the value.';

const jsonReads = [
  'JSON_EXTRACT',
  'JSON_EXTRACT_ARRAY',
  'JSON_EXTRACT_SCALAR',
  'JSON_EXTRACT_STRING_ARRAY',
].concat(['JSON_QUERY', 'JSON_QUERY_ARRAY', 'JSON_VALUE', 'JSON_VALUE_ARRAY']);

const byteOrderMark = 'a byte order mark is invalid.';

const equalZeros = 'in a subquery, 0.0 may get the text of -0.0.';

/** It fails in each row but those of NULL. */
const negativeLength = 'a length that is a negative literal.';

export const acceptedDifferences: readonly AcceptedDifference[] = [
  { subject: 'PARSE_JSON', pattern: /\\ufeff/, kind: 'differs', reason: byteOrderMark },
  { subject: 'AVG', pattern: /-9223372036854775808/, kind: 'differs', reason: inexactAverage },
  { subject: 'APPROX_QUANTILES', pattern: /respect nulls/, kind: 'unsupported', reason: respectNulls },
  { subject: 'DATE_BUCKET', pattern: /\b(datetime|timestamp)\b/, kind: 'unsupported', reason: otherBuckets },
  { subject: 'DATETIME_BUCKET', pattern: /\b(date|timestamp)\b/, kind: 'unsupported', reason: otherBuckets },
  { subject: 'TIMESTAMP_BUCKET', pattern: /\b(date|datetime)\b/, kind: 'unsupported', reason: otherBuckets },
  { subject: 'LEFT', pattern: /, -1\)/, kind: 'unsupported', reason: negativeLength },
  { subject: 'RIGHT', pattern: /, -1\)/, kind: 'unsupported', reason: negativeLength },
  { subject: 'FORMAT', pattern: /%P/, kind: 'unsupported', reason: '%P: DuckDB formats JSON differently.' },
  { subject: 'FORMAT', pattern: /%t'.*unnest\(\[1\]\).*-0\.0/i, kind: 'differs', reason: equalZeros },
  ...jsonReads.map(
    (subject) => ({ subject, pattern: /"b":bad'/, kind: 'differs', reason: brokenJson }) as const,
  ),
];

/** The entry that covers a difference; undefined if it is not accepted. */
export const acceptedDifferenceOf = (
  { case: { subject, sql }, ours }: Verdict,
  entries: readonly AcceptedDifference[],
): AcceptedDifference | undefined =>
  entries.find(
    (entry) =>
      entry.subject.toLowerCase() === subject.toLowerCase() &&
      entry.pattern.test(sql) &&
      (entry.kind === 'differs' || isRefusal(ours)),
  );

/** Whether a composed query contains something whose answer is known to differ. */
export const hasAcceptedDifference = (sql: string): boolean =>
  acceptedDifferences.some(({ kind, pattern }) => kind === 'differs' && pattern.test(sql));

/** Whether a composed query contains something that the dialect is known to reject. */
export const isAcceptedRefusal = ({ case: { sql }, ours }: Verdict): boolean =>
  isRefusal(ours) &&
  acceptedDifferences.some(
    ({ subject, kind, pattern }) =>
      kind === 'unsupported' && new RegExp(`\\b${subject}\\(`, 'i').test(sql) && pattern.test(sql),
  );

const isRefusal = (ours: Verdict['ours']) => 'error' in ours && ours.stage === 'analysis';

/** Entries that no longer match any difference. */
export const unusedDifferences = (verdicts: readonly Verdict[]): readonly AcceptedDifference[] =>
  acceptedDifferences.filter(
    (entry) =>
      !verdicts.some((verdict) => verdict.verdict === 'differs' && acceptedDifferenceOf(verdict, [entry])),
  );
