import { sameName } from '@querygate/bigquery-sql/types';
import { type Syntax, SyntaxProblem } from '@querygate/bigquery-sql/syntax';
import { foldName } from '@querygate/text';
import { problem, type SchemaProblem } from '../../../files/schema-problems.ts';
import { pushedPrefix } from '../../model/pushed-forms.ts';
import type { OrderKey, PushedSource } from '../../model/saved-query.ts';
import type { Header } from '../header-schema.ts';
import { isOrderAfter, queryOf, withoutComments } from './read-page.ts';

interface ReadPush {
  /** undefined if the header has no `push`, or a problem. */
  readonly push: PushedSource | undefined;
  readonly problems: readonly SchemaProblem[];
  /** Why the SQL cannot be read. */
  readonly syntaxProblem?: SyntaxProblem;
}

/** Reads `push`: how the SQL is put into another SELECT. */
export function readPush({ push, columns, parameters }: Header, sql: string): ReadPush {
  if (!push) return { push: undefined, problems: [] };
  const problems = Object.keys(parameters)
    .filter((name) => foldName(name).startsWith(pushedPrefix))
    .map((name) => problem(['parameters', name], 'is a name of push; choose another name'));
  if (problems.length > 0) return { push: undefined, problems };
  const query = queryOf(sql);
  if (query instanceof SyntaxProblem) return { push: undefined, problems: [], syntaxProblem: query };
  const source = sourceOf(sql, query, Object.keys(columns));
  return typeof source === 'string'
    ? { push: undefined, problems: [problem(['push'], source)] }
    : { push: source, problems: [] };
}

/** Otherwise why it cannot be pushed. */
function sourceOf(sql: string, query: Syntax.Query, columns: readonly string[]): PushedSource | string {
  const { body, orderBy, limit, pipes } = query;
  if (pipes.length > 0 || body.kind === 'FromQuery')
    return 'the SQL must end with a SELECT, and at most ORDER BY and LIMIT after it: not with |>';
  const [first] = orderBy;
  const isAfter = first === undefined || isOrderAfter(sql, body.end, first.start);
  const rest = withoutComments(sql.slice(limit?.end ?? orderBy.at(-1)?.end ?? body.end));
  if (body.kind === 'Query' || !isAfter || !/^[\s;]*$/.test(rest))
    return 'the last SELECT of the SQL must not be in brackets';
  const order: OrderKey[] = [];
  for (const { expression, collation, order: written } of orderBy) {
    const name = expression.kind === 'Path' && expression.parts.length === 1 && expression.parts[0].name;
    const column = columns.find((one) => name && sameName(one, name));
    if (column === undefined || collation !== undefined)
      return 'the ORDER BY at the end of the SQL must list columns of the result by name: rows in another order cannot keep it';
    const descending = written.direction === 'DESC';
    const nullsFirst = written.nulls === undefined ? !descending : written.nulls === 'FIRST';
    order.push({ column, descending, nullsFirst });
  }
  return { start: startBefore(sql, body.start), end: limit?.end ?? body.end, order };
}

/** At the end of the line before, unless a comment may be there: places in the SQL are then the same behind it. */
function startBefore(sql: string, start: number): number {
  const before = sql.slice(0, start).trimEnd();
  const line = before.slice(before.lastIndexOf('\n') + 1);
  return /--|#/.test(line) ? start : before.length;
}
