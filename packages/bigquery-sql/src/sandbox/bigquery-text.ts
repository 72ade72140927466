import { isInformationSchema } from '../rules/from/information-schema.ts';
import { tableReferences } from '../rules/queries/table-references.ts';
import { tokenize } from '../syntax/lexer/tokenize.ts';
import type { Token } from '../syntax/lexer/tokens.ts';
import type { Located, Path, Statement, Table } from '../syntax/nodes.ts';
import { walk } from '../syntax/walk.ts';
import { sameName } from '../types.ts';
import { callerError } from './judge.ts';

/**
 * A saved query whose last SELECT is replaced by that of a caller. Of the caller's text only the tokens that were judged
 * are written, each in one plain form, without comments: what another lexer would read differently does not occur. A
 * path in FROM that has several names was judged to be an array, and is written so that it can be nothing else; so is the
 * name of a common table that has dashes.
 *
 * @param saved from `untilLastSelect`
 * @param readable the common tables of the saved query that a caller can name
 * @param statement of the caller's text, which has been judged
 */
export function bigqueryText(
  saved: string,
  readable: readonly string[],
  sql: string,
  { query }: Statement,
): string {
  // A name that is not that of a common table would be a stored table to BigQuery: it is compared again here.
  for (const name of tableReferences(query))
    if (!readable.some((one) => sameName(one, name)))
      throw callerError(sql, query.start, `no table is named ${name}`);
  const paths = new Map<number, Table>();
  walk(query, (node) => {
    if (node.kind !== 'Table') return;
    if (isInformationSchema(node.path))
      throw callerError(
        sql,
        node.start,
        'INFORMATION_SCHEMA is not available in sql on BigQuery, where it would have all tables',
      );
    paths.set(node.path.start, node);
  });
  const tokens = tokenize(sql);
  const { with: commonTables } = query;
  const [first] = commonTables?.tables ?? [];
  const bodyStart = commonTables?.end ?? query.start;
  const tables =
    commonTables && first ? `,\n${write(tokens, { start: first.start, end: commonTables.end }, paths)}` : '';
  return `${saved}${tables}\n${write(tokens, { start: bodyStart, end: query.end }, paths)}\n`;
}

/**
 * The text of a saved query up to the end of its WITH clause, without the parentheses around all of it.
 *
 * @param statement of the text
 */
export function untilLastSelect(sql: string, { functions }: Statement, { start, end }: Located): string {
  const bodyStart = functions.at(-1)?.end ?? 0;
  const opening = tokenize(sql).find((token) => token.start >= bodyStart && token.key === '(');
  return sql.slice(0, Math.min(opening?.start ?? start, start)) + sql.slice(start, end);
}

function write(tokens: readonly Token[], { start, end }: Located, paths: ReadonlyMap<number, Table>): string {
  let text = '';
  let writtenTo = start;
  for (const token of tokens) {
    if (token.start < writtenTo || token.end > end || token.kind === 'end') continue;
    const table = paths.get(token.start);
    const isPlain = table === undefined || isOneToken(table, token);
    // Between two tokens that are not adjacent there is a blank, and nothing else.
    if (text !== '' && token.start > writtenTo) text += ' ';
    text += isPlain ? tokenText(token) : tableText(table);
    writtenTo = isPlain ? token.end : table.path.end;
  }
  return text;
}

/** False for the one token `a.b` in backquotes, too: it has two names. */
const isOneToken = ({ path }: Table, token: Token): boolean =>
  path.parts.length === 1 && path.end === token.end;

function tableText({ path, alias }: Table): string {
  if (path.parts.length === 1) return pathText(path);
  const array = `UNNEST(${pathText(path)})`;
  const implied = path.parts.at(-1)?.name ?? '';
  return alias ? array : `${array} AS ${quoteName(implied)}`;
}

const pathText = ({ parts }: Path) => parts.map(({ name }) => quoteName(name)).join('.');

function tokenText(token: Token): string {
  switch (token.kind) {
    case 'quoted name':
      return quoteName(token.name);
    case 'string':
      return `'${escapeText(token.value)}'`;
    case 'bytes':
      return `b'${[...token.value].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('')}'`;
    case 'symbol':
      return token.key;
    case 'word':
    case 'integer':
    case 'float':
      return token.text;
    default:
      throw new Error('a text that was not judged');
  }
}

const quoteName = (name: string) => `\`${escapeText(name)}\``;

/** The characters that stand for themselves in every literal of GoogleSQL; all others are written by their code. */
const plain = /^[\w !#$%&()*+,./:;<=>?@[\]^{|}~-]$/;

function escapeText(value: string): string {
  return Array.from(value, (character) => {
    if (plain.test(character)) return character;
    const code = character.codePointAt(0) ?? 0;
    return code > 0xffff
      ? `\\U${code.toString(16).padStart(8, '0')}`
      : `\\u${code.toString(16).padStart(4, '0')}`;
  }).join('');
}
