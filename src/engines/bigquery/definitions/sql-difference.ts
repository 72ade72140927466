import { type Token, tokenize } from '@querygate/bigquery-sql/syntax';
import type { TextAt } from '../../../catalog/model/saved-query.ts';

/** The place from which on SQL differs from another one, apart from blanks, comments, quotes of names and letter case of words. */
export function differenceOf({ text, start }: TextAt, other: string): number | undefined {
  const [own, others] = [wordsOf(text), wordsOf(other)];
  const at = own.findIndex(({ word }, index) => word !== others[index]?.word);
  if (at >= 0) return start + (own[at]?.start ?? 0);
  return own.length === others.length ? undefined : start + text.length;
}

interface WordAt {
  readonly word: string;
  readonly start: number;
}

function wordsOf(sql: string): readonly WordAt[] {
  const words = tokenize(sql).flatMap((token): WordAt[] => {
    if (token.kind === 'end') return [];
    // The ends of two types may have a blank between them.
    if (token.key === '>>') return [token.start, token.start + 1].map((start) => ({ word: '>', start }));
    if (token.kind !== 'quoted name') return [{ word: wordOf(token, sql), start: token.start }];
    // One quoted name may be a path.
    return wordsOf(token.name).map(({ word }) => ({ word, start: token.start }));
  });
  return words.at(-1)?.word === ';' ? words.slice(0, -1) : words;
}

function wordOf({ kind, key, start, end }: Token, sql: string): string {
  if (kind === 'symbol') return key;
  const text = sql.slice(start, end);
  return kind === 'word' ? (synonyms[key] ?? key) : text;
}

/** Names of types that BigQuery replaces by others. */
const synonyms: Readonly<Record<string, string>> = {
  ...{
    INT: 'INT64',
    SMALLINT: 'INT64',
    INTEGER: 'INT64',
    BIGINT: 'INT64',
    TINYINT: 'INT64',
    BYTEINT: 'INT64',
  },
  ...{ BOOLEAN: 'BOOL', DECIMAL: 'NUMERIC', BIGDECIMAL: 'BIGNUMERIC' },
};
