import { isSame, sameTypes } from './compare.ts';
import { type Answer, showValue, type Value } from './values.ts';

/** How a statement is judged, from good to bad. */
export const outcomes = [
  'agree',
  'both fail',
  'judges differ',
  'refused',
  'run time',
  'answers where the judge errs',
  'WRONG',
  'crash',
  'not judged: refused',
  'not judged: answered',
] as const;

export type Outcome = (typeof outcomes)[number];

export function classify(
  ours: Answer,
  reference: Answer,
  sql: string,
  isOrdered: (sql: string) => boolean,
  before = '',
): Outcome {
  if ('error' in ours && ours.stage === 'broken') return 'crash';
  if ('error' in reference) {
    // The evaluator is older than the suite: its text was the judge.
    if (reference.stage === 'missing' || before === 'agree (suite text)')
      return 'error' in ours ? 'not judged: refused' : 'not judged: answered';
    return 'error' in ours ? 'both fail' : 'answers where the judge errs';
  }
  if ('error' in ours) return ours.stage === 'analysis' ? 'refused' : 'run time';
  if (!sameTypes(ours.types ?? [], reference.types ?? [])) return 'WRONG';
  const [mine, theirs] = [withoutNullArrays(ours), withoutNullArrays(reference)];
  if (isSame(mine, theirs, isOrdered(sql))) return 'agree';
  if (isSame(withoutOrder(mine), withoutOrder(theirs), false) && hasUndefinedOrder.test(sql)) return 'agree';
  if (takesAnyRows.test(sql)) return 'not judged: answered';
  return 'WRONG';
}

/** Which values LIMIT leaves without ORDER BY is not defined: of a union they are others from run to run. */
const takesAnyRows = /\b(array_agg|array_concat_agg|string_agg)\s*\((?:(?!order\s+by)[^()])*\blimit\b/i;

/** Arrays that are built without ORDER BY, and rows with equal sort keys, are in any order. */
const hasUndefinedOrder = /\b(array_agg|array_concat_agg|approx_\w+|array\s*\(|string_agg|order\s+by)\b/i;

/** In BigQuery's results a NULL array is an empty one. */
export function withoutNullArrays(answer: Answer): Answer {
  if ('error' in answer) return answer;
  const isArray = answer.types?.map((type) => type.startsWith('ARRAY')) ?? [];
  const cell = (value: Value, at: number): Value =>
    value === null && isArray[at] ? { type: 'ARRAY', items: [] } : value;
  return { ...answer, rows: answer.rows.map((row) => row.map(cell)) };
}

/** The answer with the items of its arrays sorted. */
export function withoutOrder(answer: Answer): Answer {
  if ('error' in answer) return answer;
  return { ...answer, rows: answer.rows.map((row) => row.map(sortArrays)) };
}

function sortArrays(value: Value): Value {
  if (value === null) return value;
  if (value.type === 'STRUCT') {
    return { ...value, fields: value.fields.map((field) => ({ ...field, value: sortArrays(field.value) })) };
  }
  if (value.type !== 'ARRAY') return value;
  const items = value.items.map(sortArrays).map((item) => ({ item, key: showValue(item) }));
  items.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  return { type: 'ARRAY', items: items.map(({ item }) => item) };
}
