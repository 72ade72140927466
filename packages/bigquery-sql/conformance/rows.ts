import { type Case, fill, isQuery } from './cases.ts';
import type { Verdict } from './judge.ts';

/** The select list of a query that computes an expression for each row. */
export type Placing = (expression: Expression) => string;

/** An expression of a template, whose values are to be read from the columns of a row. */
export interface Expression {
  /** The expression, with a text for each value: by default its column. */
  text(values?: readonly string[]): string;
  /** The columns of the row: `input.c0`. */
  readonly columns: readonly string[];
}

/**
 * The same expressions over the columns of many rows: DuckDB folds constant expressions with different code than it
 * runs over columns, which saved queries mostly use. Inputs that cause an error are left out, because one would fail
 * all rows.
 */
export const rowCases = (
  verdicts: readonly Verdict[],
  place: Placing = ({ text }) => `${text()} as answer`,
): readonly Case[] =>
  rowGroups(verdicts).map(({ first, expression, rows }) => {
    const sql = `select ${place(expression)} from unnest([${rows.join(', ')}]) as input with offset as position order by position`;
    return { ...first, sql, referenceSql: sql };
  });

/** An expression with the rows of its inputs, each of them a `struct(… as c0, … as c1)`. */
export interface RowGroup {
  readonly first: Case;
  readonly expression: Expression;
  readonly rows: readonly string[];
}

export function rowGroups(verdicts: readonly Verdict[]): readonly RowGroup[] {
  const answered = verdicts.filter(
    ({ case: { sql, referenceSql, template }, reference }) =>
      !('error' in reference) &&
      sql === referenceSql &&
      !isQuery(template.text) &&
      hasValues(template.placeholders),
  );
  return [...Map.groupBy(answered, groupKey).values()].map((group) =>
    rowGroup(group.map((verdict) => verdict.case)),
  );
}

const hasValues = (placeholders: Case['template']['placeholders']) =>
  placeholders.some(({ isValue }) => isValue);

/** One query for all inputs of a template that differ in values only, not in keywords. */
const groupKey = ({ case: { template, inputs } }: Verdict) =>
  JSON.stringify([
    template.file,
    template.line,
    inputs.filter((_, at) => !template.placeholders[at]?.isValue),
  ]);

function rowGroup(cases: readonly Case[]): RowGroup {
  const first = cases[0] as Case;
  const { placeholders } = first.template;
  const columns = first.inputs.map((_, at) => `input.c${at}`);
  const text = (values: readonly string[] = columns) =>
    fill(
      first.template,
      first.inputs.map((input, at) => (placeholders[at]?.isValue ? (values[at] ?? '') : input)),
    );
  const rows = cases.map(
    ({ inputs }) => `struct(${inputs.map(asColumn).filter((_, at) => placeholders[at]?.isValue)})`,
  );
  return { first, expression: { text, columns }, rows };
}

const asColumn = (input: string, at: number) => `${input} as c${at}`;
