import { problemAt, type Source } from '@querygate/bigquery-sql/problem';
import { parseAsserts, type Syntax, SyntaxProblem, walk } from '@querygate/bigquery-sql/syntax';
import { sameName } from '@querygate/bigquery-sql/types';
import { shorten } from '@querygate/text';
import type { Problem } from '../../errors.ts';
import { linesInOrder } from '../../files/lines-in-order.ts';
import { headerless, type Link } from '../header/link.ts';
import type { Parameter, SavedQuery } from '../model/saved-query.ts';

/** An ASSERT statement, which is for authors: it reads the rows of all tenants, and no caller reaches it. */
export interface Assertion {
  /** Its message, or its condition if it has none. */
  readonly title: string;
  readonly place: Problem;
  /** The condition as the only value of a query, in the column `holds`. */
  readonly query: SavedQuery;
}

/** A text with ASSERT statements, and the queries, views and functions that they can read. */
interface AssertionText {
  /** Of the queries, for the log. */
  readonly name: string;
  readonly source: Source;
  readonly text: string;
  /** The values that conditions can use. */
  readonly parameters: readonly Parameter[];
  readonly link: Link;
}

/** The ASSERT statements of a text; with problems, only those without. */
export function parseAssertions({ name, source, text, parameters, link }: AssertionText): {
  readonly assertions: readonly Assertion[];
  readonly problems: readonly Problem[];
} {
  const at = (start: number, message: string) => problemAt(text, source, start, message);
  const { asserts, problem } = statementsIn(text);
  if (problem) return { assertions: [], problems: [at(problem.offset, problem.message)] };
  if (asserts.length === 0)
    return { assertions: [], problems: [at(0, "contains no ASSERT: write ASSERT condition AS 'text'")] };
  const lineAt = linesInOrder(text, source.line);
  const found = asserts.map((one) => {
    const { line, lineStart } = lineAt(one.start);
    // At its own place, so that those of problems are right; not with all that is before it in a long line.
    const indent = ' '.repeat(Math.min(one.start - lineStart, maxIndent));
    const written = text.slice(one.start + assertLength, one.conditionEnd);
    // By itself it would be an INT64.
    const condition = one.condition.kind === 'NullLiteral' ? ' CAST(NULL AS BOOL)' : written;
    const sql = `${indent}SELECT${condition} AS holds`;
    const {
      passed: _,
      problems,
      ...linked
    } = link({ ...headerless(sql, line, parameters), name: `${name} ${line}`, file: source.file, text });
    const title =
      one.description?.value ??
      shorten(text.slice(one.condition.start, one.conditionEnd).replace(/\s+/g, ' '));
    return {
      problems: [
        ...unknownParameters(one, parameters).map((node) =>
          at(node.start, parameterMessage(node, parameters)),
        ),
        ...problems,
      ],
      assertion: {
        title,
        place: at(one.start, title),
        query: { ...template, ...linked, name, parameters },
      },
    };
  });
  return {
    assertions: found.flatMap(({ problems, assertion }) => (problems.length > 0 ? [] : [assertion])),
    problems: found.flatMap(({ problems }) => problems),
  };
}

const assertLength = 'ASSERT'.length;

const maxIndent = 1_000;

function statementsIn(text: string): {
  readonly asserts: readonly Syntax.Assert[];
  readonly problem?: SyntaxProblem;
} {
  try {
    return { asserts: parseAsserts(text) };
  } catch (error) {
    if (error instanceof SyntaxProblem) return { asserts: [], problem: error };
    throw error;
  }
}

function unknownParameters(
  root: Syntax.Assert,
  parameters: readonly Parameter[],
): readonly Syntax.NamedParameter[] {
  const found: Syntax.NamedParameter[] = [];
  walk(root, (node) => {
    if (node.kind === 'NamedParameter' && !parameters.some(({ name }) => sameName(name, node.name.name)))
      found.push(node);
  });
  return found;
}

function parameterMessage({ name }: Syntax.NamedParameter, parameters: readonly Parameter[]): string {
  const names = parameters.map((one) => `@${one.name}`).join(', ');
  return `ASSERT has no parameter @${name.name} here: ${names === '' ? 'write a value' : `those of the query are ${names}`}`;
}

/** A query without callers. */
const template: Omit<SavedQuery, 'name' | 'sql' | 'source'> = {
  id: '00000000-0000-4000-8000-000000000000',
  aliases: [],
  description: 'An assertion.',
  maxRows: 1,
  caching: 'disabled',
  warm: [],
  labels: [],
  parameters: [],
  tenant: undefined,
  tenantUnchecked: undefined,
  columns: [
    {
      name: 'holds',
      type: 'boolean',
      repeated: false,
      required: false,
      unit: undefined,
      description: 'The condition.',
    },
  ],
  querySandboxing: 'disabled',
};
