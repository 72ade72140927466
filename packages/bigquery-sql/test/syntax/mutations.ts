import fc from 'fast-check';
import { tokenize } from '../../src/syntax/lexer/tokenize.ts';

const pieces =
  `( ) [ ] < > , . ; * - + = || |> => @ ? SELECT FROM WHERE AS NOT IN IS BETWEEN AND OR CASE WHEN END WITH JOIN ON
  USING UNION ALL BY ORDER GROUP UNNEST STRUCT ARRAY CAST INTERVAL OVER LIMIT x 1 1. 'a' "b" \`c\` r'\\' /* -- # \\ é 😀 \0`.split(
    /\s+/,
  );

/** Texts, each with some of its tokens removed, doubled, exchanged or replaced. */
export const mutationsOf = (texts: readonly string[]) =>
  fc
    .record({
      text: fc.constantFrom(...texts),
      changes: fc.array(
        fc.record({
          at: fc.nat(),
          change: fc.constantFrom('remove', 'double', 'cut'),
          piece: fc.constantFrom(undefined, ...pieces),
        }),
        { minLength: 1, maxLength: 4 },
      ),
    })
    .map(({ text, changes }) => {
      let sql = text;
      for (const { at, change, piece } of changes) {
        const tokens = tokensOf(sql);
        const { start, end } = tokens[at % tokens.length] ?? { start: 0, end: 0 };
        const token = sql.slice(start, end);
        const instead = piece ?? (change === 'double' ? `${token} ${token}` : '');
        sql = sql.slice(0, start) + instead + (change === 'cut' ? '' : sql.slice(end));
      }
      return sql;
    });

/** The tokens of a text; one of each line if it can't be tokenized any longer. */
function tokensOf(sql: string): readonly { readonly start: number; readonly end: number }[] {
  try {
    return tokenize(sql);
  } catch {
    let end = -1;
    return sql.split('\n').map((line) => {
      const start = end + 1;
      end = start + line.length;
      return { start, end };
    });
  }
}

const operands = [
  ...[
    'NULL',
    '1',
    '-1',
    "''",
    "'2024-01-01'",
    '1.5',
    'TRUE',
    '[1, NULL]',
    '[]',
    'STRUCT(1 AS x)',
    "b'a'",
    '(SELECT 1)',
  ],
  ...[
    "JSON '[1]'",
    "DATE '2024-01-01'",
    'CURRENT_TIMESTAMP()',
    '@p',
    'CAST(@p AS INT64)',
    'INTERVAL 1 DAY',
    '*',
    'x.y',
  ],
  ...[
    'ARRAY(SELECT 1)',
    'COUNT(*)',
    'SUM(1) OVER ()',
    "NUMERIC '1'",
    '9223372036854775807',
    '(1, 2)',
    'logs',
    '`a-b.c`',
  ],
];

/** Texts with some of their names and literals exchanged for others: most are queries, and few of them make sense. */
export const exchangesOf = (texts: readonly string[]) =>
  fc
    .record({
      text: fc.constantFrom(...texts),
      changes: fc.array(
        fc.record({
          at: fc.nat(),
          operand: fc.option(fc.constantFrom(...operands), { nil: undefined }),
          other: fc.nat(),
        }),
        { minLength: 1, maxLength: 3 },
      ),
    })
    .map(({ text, changes }) =>
      changes.reduce((sql, { at, operand, other }) => {
        const tokens = tokensOf(sql).filter(({ start, end }) => isOperand(sql.slice(start, end)));
        const { start, end } = tokens[at % tokens.length] ?? { start: 0, end: 0 };
        const instead = tokens[other % tokens.length] ?? { start: 0, end: 0 };
        return sql.slice(0, start) + (operand ?? sql.slice(instead.start, instead.end)) + sql.slice(end);
      }, text),
    );

/** Names in lower case, numbers and strings: queries of this project write keywords in capitals. */
const isOperand = (token: string): boolean => /^(?:[a-z_]|\d|['"`])/.test(token);
