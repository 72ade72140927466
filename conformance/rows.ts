import { type Case, fill, isQuery } from './cases.ts';
import type { Verdict } from './judge.ts';

/**
 * The same expressions over the columns of many rows: DuckDB folds a constant expression with other code than it runs
 * over a column, and saved queries are all columns. Inputs whose answer is an error stay out: one would spoil all rows.
 */
export function rowCases(verdicts: readonly Verdict[]): readonly Case[] {
  const answered = verdicts.filter(
    ({ case: { sql, referenceSql, template }, reference }) =>
      !('error' in reference) &&
      sql === referenceSql &&
      !isQuery(template.text) &&
      hasValues(template.placeholders),
  );
  return [...Map.groupBy(answered, groupKey).values()].map((group) =>
    rowCase(group.map((verdict) => verdict.case)),
  );
}

const hasValues = (placeholders: Case['template']['placeholders']) =>
  placeholders.some(({ isValue }) => isValue);

/** One query for the inputs of one template that differ in values only, not in words of the language. */
const groupKey = ({ case: { template, inputs } }: Verdict) =>
  JSON.stringify([
    template.file,
    template.line,
    inputs.filter((_, at) => !template.placeholders[at]?.isValue),
  ]);

function rowCase(cases: readonly Case[]): Case {
  const first = cases[0] as Case;
  const { placeholders } = first.template;
  const column = (at: number) => `input.c${at}`;
  const expression = fill(
    first.template,
    first.inputs.map((input, at) => (placeholders[at]?.isValue ? column(at) : input)),
  );
  const rows = cases.map(
    ({ inputs }) => `struct(${inputs.map(named).filter((_, at) => placeholders[at]?.isValue)})`,
  );
  const sql = `select ${expression} as answer from unnest([${rows.join(', ')}]) as input with offset as position order by position`;
  return { ...first, sql, referenceSql: sql };
}

const named = (input: string, at: number) => `${input} as c${at}`;
