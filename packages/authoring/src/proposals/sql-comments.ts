import type { Syntax } from '@querygate/bigquery-sql/syntax';

/** Texts on the query and its columns, taken from the comments of SQL. */
export interface CommentedTexts {
  /** The comment before the query, as a sentence. */
  readonly query: string | undefined;
  /** The comments at the ends of the lines of the select list, by the place of the column. */
  readonly columns: ReadonlyMap<number, string>;
}

/** A description is read in lists and tooltips. */
const maxLength = 300;

/** The descriptions that an author has written as comments. */
export function commentedTexts(sql: string, { query }: Syntax.Statement): CommentedTexts {
  return { query: leadingText(sql), columns: columnTexts(sql, query) };
}

const leadingComments = /^\s*(?:(?:--|#)[^\n]*(?:\n\s*|$)|\/\*[\s\S]*?\*\/\s*)+/;
/** Lines about the file, not about the result. */
const otherLine =
  /^(?:standardsql|legacysql|author|created|modified|updated|date|version|copyright|licen[cs]e|owner|todo|fixme|file|source|https?:|sqlfluff|noqa|prettier)\b/i;
const sqlLine =
  /;\s*$|^(?:select|with|from|where|declare|set|create|and|or|limit|group by|order by)\b.*[=(*,@]/i;

function leadingText(sql: string): string | undefined {
  const [comments] = leadingComments.exec(sql) ?? [];
  if (comments === undefined) return undefined;
  const lines = comments
    .split('\n')
    .map((line) => line.replace(/^\s*(?:--+|#+|\/\*+|\*+(?!\/))?\s*|(?<!\s)\s*(?:(?<!\*)\*+\/\s*)?$/g, ''))
    .filter((line) => /[a-z]{2}/i.test(line) && !otherLine.test(line));
  // Commented-out SQL is not a description.
  return lines.some((line) => sqlLine.test(line)) ? undefined : sentence(lines.join(' '));
}

function columnTexts(sql: string, query: Syntax.Query): ReadonlyMap<number, string> {
  const texts = new Map<number, string>();
  const { body } = query;
  // Of a * the columns are not known here.
  if (query.pipes.length > 0 || body.kind !== 'Select') return texts;
  if (body.items.some(({ kind }) => kind !== 'SelectExpression')) return texts;
  for (const [at, { end }] of body.items.entries()) {
    const [lineEnd = ''] = /^[^\n]*/.exec(sql.slice(end)) ?? [];
    const comment = /^\s*,?\s*(?:(?:--+|#)\s*(?<line>.*)|\/\*+(?<block>[^*]*)\*+\/\s*)$/.exec(
      lineEnd,
    )?.groups;
    const text = sentence((comment?.line ?? comment?.block ?? '').trim());
    if (text !== undefined && /[a-z]{2}/i.test(text) && !otherLine.test(text) && !sqlLine.test(text))
      texts.set(at, text);
  }
  return texts;
}

function sentence(text: string): string | undefined {
  if (text === '' || text.length > maxLength) return undefined;
  const first = text[0]?.toUpperCase() ?? '';
  return `${first}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;
}
