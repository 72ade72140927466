import { sameName } from '@querygate/bigquery-sql/types';
import { parseQuery, type Syntax, SyntaxProblem } from '@querygate/bigquery-sql/syntax';
import { foldName } from '@querygate/text';
import { problem, type SchemaProblem } from '../../../files/schema-problems.ts';
import { type Column, type PageKey, pageKeyTypes, type RowPages } from '../../model/saved-query.ts';
import type { Header } from '../header-schema.ts';

interface ReadPage {
  /** undefined if the header has no `page`, or a problem. */
  readonly pages: RowPages | undefined;
  readonly problems: readonly SchemaProblem[];
  /** Why the SQL cannot be read. */
  readonly syntaxProblem?: SyntaxProblem;
}

/** Names of arguments and parameters of pages, which the query must not declare. */
const reserved: ReadonlySet<string> = new Set(['first', 'last', 'after', 'before', 'limit']);

/** Reads `page`: by which columns, and with which ORDER BY, which is the one of the SQL. */
export function readPage({ page, columns, parameters }: Header, sql: string): ReadPage {
  if (page === undefined) return { pages: undefined, problems: [] };
  const problems = [
    ...page.by.flatMap((name, at) => keyProblem(columns[name], page.by.indexOf(name) < at, name, at)),
    ...Object.keys(parameters)
      .filter((name) => reserved.has(foldName(name)) || foldName(name).startsWith('page_'))
      .map((name) => problem(['parameters', name], 'is a name of pages (page); choose another name')),
  ];
  if (problems.length > 0) return { pages: undefined, problems };
  const ordered = orderedSelect(sql, page.by);
  if (ordered instanceof SyntaxProblem) return { pages: undefined, problems: [], syntaxProblem: ordered };
  if (typeof ordered === 'string') return { pages: undefined, problems: [problem(['page', 'by'], ordered)] };
  const [key, ...keys] = page.by.map(
    (name, at): PageKey => ({
      column: name,
      type: keyType(columns[name]?.type) ?? 'string',
      isNullable: columns[name]?.required !== true,
      descending: ordered.descending[at] === true,
    }),
  );
  return { pages: key && { keys: [key, ...keys], body: ordered.body, limit: ordered.limit }, problems: [] };
}

const keyType = (type: Column['type'] | undefined): PageKey['type'] | undefined =>
  pageKeyTypes.find((one) => one === type);

function keyProblem(
  column: Pick<Column, 'type' | 'repeated'> | undefined,
  isRepeated: boolean,
  name: string,
  at: number,
): readonly SchemaProblem[] {
  const add = (message: string) => [problem(['page', 'by', at], message)];
  if (column === undefined) return add(`no column is named ${name}`);
  if (isRepeated) return add(`${name} is listed twice`);
  if (column.repeated || keyType(column.type) === undefined)
    return add(`${name} must be a text, an integer, a date, a datetime or a timestamp`);
  return [];
}

interface OrderedSelect {
  readonly body: RowPages['body'];
  readonly limit: RowPages['limit'];
  readonly descending: readonly boolean[];
}

/** The SELECT whose rows are ordered by the columns; otherwise what is wrong. */
function orderedSelect(sql: string, by: readonly string[]): OrderedSelect | SyntaxProblem | string {
  const right = `the SQL must end with ORDER BY ${by.join(', ')}, each with or without DESC, and at most a LIMIT after it`;
  const query = queryOf(sql);
  if (query instanceof SyntaxProblem) return query;
  const { body, orderBy, limit, pipes } = query;
  const [first] = orderBy;
  if (first === undefined || pipes.length > 0 || limit?.offset !== undefined || orderBy.length !== by.length)
    return right;
  if (!isOrderAfter(sql, body.end, first.start)) return right;
  const fits = orderBy.every(({ expression, collation, order }, at) => {
    const isUsual = order.nulls === undefined || (order.nulls === 'LAST') === (order.direction === 'DESC');
    return isUsual && collation === undefined && isColumn(expression, by[at] ?? '');
  });
  if (!fits) return right;
  return {
    body: { start: body.start, end: body.end },
    limit: limit?.count.kind === 'IntegerLiteral' ? Number(limit.count.value) : undefined,
    descending: orderBy.map(({ order }) => order.direction === 'DESC'),
  };
}

/** True if there is nothing but the two words, and comments: no bracket that began before. */
export function isOrderAfter(sql: string, end: number, start: number): boolean {
  return /^\s*order\s+by\s*$/i.test(withoutComments(sql.slice(end, start)));
}

/** @param between text between two parts of SQL, which has no texts in quotes */
export const withoutComments = (between: string): string =>
  between.replaceAll(/--.*|#.*|\/\*[\s\S]*?\*\//g, '');

export function queryOf(sql: string): Syntax.Query | SyntaxProblem {
  try {
    return parseQuery(sql).query;
  } catch (error) {
    if (error instanceof SyntaxProblem) return error;
    throw error;
  }
}

const isColumn = (expression: Syntax.Expression, name: string): boolean =>
  expression.kind === 'Path' && expression.parts.length === 1 && sameName(expression.parts[0].name, name);
