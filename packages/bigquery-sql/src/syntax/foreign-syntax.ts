import type { Token } from './lexer/tokens.ts';

/** The token that a grammar does not expect, at 0, and its neighbors. */
export type TokenAt = (distance: number) => Token | undefined;

/** Words of other dialects, each with what GoogleSQL writes. */
const words: Readonly<Record<string, string>> = {
  ILIKE: "write LOWER(…) LIKE '…'",
  RLIKE: 'write REGEXP_CONTAINS(text, pattern)',
  REGEXP: 'write REGEXP_CONTAINS(text, pattern)',
  SIMILAR: 'write REGEXP_CONTAINS(text, pattern)',
  GLOB: 'write REGEXP_CONTAINS(text, pattern)',
  FETCH: 'write LIMIT and a number',
  MINUS: 'write EXCEPT DISTINCT',
  ISNULL: 'write IS NULL',
  NOTNULL: 'write IS NOT NULL',
  COLLATE: "it belongs to ORDER BY: write COLLATE(text, 'und:ci')",
  WITHIN: 'write the ORDER BY within the parentheses of the function',
  EXCLUDE: 'EXCLUDE of window frames is not in GoogleSQL',
  GROUPS: 'frames are of ROWS or RANGE',
  LATERAL: 'write a comma and UNNEST, or a subquery in the select list',
  NATURAL: 'write JOIN … USING (columns)',
  ASOF: 'join by a condition, and keep the latest row with QUALIFY',
  INTO: 'a query only reads',
  PLACING: 'write CONCAT of SUBSTR',
  REMOTE: 'remote functions are not supported, only those in SQL and js',
  COLUMNS: 'write JSON_QUERY_ARRAY and JSON_VALUE for JSON_TABLE',
  MATERIALIZED: 'leave it out',
  REPEATABLE: 'samples are different in each run',
  SOME: 'write IN (SELECT …), or IN UNNEST(array)',
  ANY: 'write IN (SELECT …), or IN UNNEST(array)',
};

const asParameter = 'a parameter is written @name';
const asTemplate = 'templates are not run here: take the SQL that dbt compile writes';
const asTable = 'a parameter cannot name a table';
const asName = 'a name with - or @ is in backquotes';
const asHint = 'hints are not supported: leave @{…} out';

/** Symbols that GoogleSQL lacks or has elsewhere. Tokens are symbols of GoogleSQL, so that `::` is two of them. */
const symbols: Readonly<Record<string, (at: TokenAt) => string | undefined>> = {
  ':': (at) => {
    if (isNext(at, ':')) return 'write CAST(value AS TYPE) for value::TYPE';
    if (at(1)?.kind !== 'word' || at(1)?.start !== at(0)?.end) return undefined;
    return isOfTable(at) ? asTable : asParameter;
  },
  '@': (at) => (at(1)?.key === '{' ? asHint : isOfTable(at) ? asTable : inName(at)),
  '-': (at) => inName(at),
  '{': (at) => {
    if (at(-1)?.key === '@') return asHint;
    if (isNext(at, '%') || (isNext(at, '{') && /^(?:REF|SOURCE|THIS|CONFIG)$/.test(at(2)?.key ?? '')))
      return asTemplate;
    return isNext(at, '{') ? asParameter : undefined;
  },
  $: (at) => {
    if (isNext(at, '{')) return isOfTable(at) ? asTemplate : asParameter;
    return at(1)?.kind === 'word' ? (isOfTable(at) ? asTable : asParameter) : undefined;
  },
  '=': (at) => (follows(at, '=') ? 'write = once' : undefined),
  '>': (at) => {
    // `->` before a name in quotes or a path is of JSON, and after a name in the arguments of a call of a lambda.
    if (follows(at, '-') && at(1)?.kind === 'word')
      return 'lambda expressions are not supported: write ARRAY(SELECT … FROM UNNEST(array))';
    if (follows(at, '-')) return "write JSON_VALUE(json, '$.name'), or JSON_QUERY for a part of it";
    return follows(at, '<=') ? 'write IS NOT DISTINCT FROM' : undefined;
  },
  '&': (at) => (follows(at, '&') ? 'write AND' : undefined),
  '!': (at) => (isNext(at, '~') ? 'write NOT REGEXP_CONTAINS(text, pattern)' : 'write NOT'),
  '~': () => 'write REGEXP_CONTAINS(text, pattern)',
  '%': (at) => {
    if (at(-2)?.key === 'LIMIT') return 'LIMIT takes a number of rows';
    if (!isNext(at, '(') && !isNext(at, 's')) return 'write MOD(a, b)';
    return isOfTable(at) ? asTemplate : asParameter;
  },
  '/': (at) => (follows(at, '/') ? 'a comment begins with -- or #' : undefined),
  '(': (at) =>
    at(-2)?.key === 'AS' ? 'an alias takes no list of columns: name them in a subquery' : undefined,
  ',': (at) => {
    const [offset, count] = [at(-1), at(1)];
    const isLimit = at(-2)?.key === 'LIMIT' && offset?.kind === 'integer' && count?.kind === 'integer';
    return isLimit ? `write LIMIT ${count.text} OFFSET ${offset.text}` : undefined;
  },
};

/** The advice on a token of another dialect of SQL, or of a template: what GoogleSQL writes in its place. */
export function foreignSyntax(at: TokenAt): string | undefined {
  const token = at(0);
  // It has been read as the alias of a table.
  if (at(-1)?.key === 'MINUS') return words.MINUS;
  if (token?.key === 'FOR' && at(1)?.key === 'SYSTEM_TIME') return 'only a table has FOR SYSTEM_TIME AS OF';
  if (token?.key === 'OF' && at(-1)?.key === 'AS')
    return 'earlier rows of a table are not kept: filter by a column with the time';
  if (at(-1)?.key === 'TABLE' && isArgument(at(-2)))
    return 'a table is an argument of table functions, which FROM takes';
  if (at(-1)?.key === 'ILIKE') return words.ILIKE;
  if (token?.key === 'EXCLUDE' && at(-1)?.key === '*') return 'write * EXCEPT (columns)';
  if (token?.key === 'AT' && at(1)?.key === 'TIME')
    return 'write DATETIME(timestamp, zone), TIMESTAMP(datetime, zone) or EXTRACT(… AT TIME ZONE zone)';
  if (token?.key === 'ALL' && at(-1)?.key === 'BY') return 'write the columns, or their positions';
  if (token?.key === 'ROWS' && at(-2)?.key === 'OFFSET') return 'leave ROWS out';
  if (token?.key === 'ON' && at(-1)?.key === 'DISTINCT')
    return 'keep one row of each with QUALIFY ROW_NUMBER() OVER (PARTITION BY …) = 1';
  if (at(-1)?.key === 'EXCEPT' && at(-2)?.key === '*' && token?.key !== '(')
    return 'write * EXCEPT (columns)';
  const called = calledBefore(at);
  if (token?.key === 'AS' && called === 'TRY_CAST') return 'write SAFE_CAST(value AS TYPE)';
  if (token?.key === 'WITHIN' && called?.startsWith('PERCENTILE_'))
    return `write ${called}(value, fraction) OVER ()`;
  if (token?.kind === 'word') return misplacedClause(at) ?? words[token.key];
  if (token?.kind === 'integer' && at(-1)?.key === 'TOP') return `write LIMIT ${token.text} at the end`;
  return token?.kind === 'symbol' ? symbols[token.key]?.(at) : undefined;
}

/** True where FROM takes a table. */
const isOfTable = (at: TokenAt): boolean => ['FROM', 'JOIN'].includes(at(-1)?.key ?? '');

/** The function whose parentheses are around a token, or end before it. */
function calledBefore(at: TokenAt): string | undefined {
  let depth = at(-1)?.key === ')' ? 0 : 1;
  for (let distance = -1; at(distance) !== undefined; distance -= 1) {
    const key = at(distance)?.key;
    depth += key === ')' ? 1 : key === '(' ? -1 : 0;
    if (depth === 0) return at(distance - 1)?.key.toUpperCase();
  }
  return undefined;
}

/** The clauses of a query, in their order. */
const clauses: readonly string[] = [
  'FROM',
  'WHERE',
  'GROUP',
  'HAVING',
  'QUALIFY',
  'WINDOW',
  'ORDER',
  'LIMIT',
];

/** The problem of a clause that comes too late, or for the second time. */
function misplacedClause(at: TokenAt): string | undefined {
  const key = at(0)?.key ?? '';
  const order = clauses.indexOf(key);
  if (order < 0) return undefined;
  let later: string | undefined;
  let depth = 0;
  for (let distance = -1; depth >= 0; distance -= 1) {
    const before = at(distance)?.key;
    if (before === undefined || (depth === 0 && startsOther.has(before))) break;
    depth += before === ')' ? 1 : before === '(' ? -1 : 0;
    if (depth !== 0) continue;
    if (before === key) return `there is one ${key} already`;
    if (clauses.indexOf(before) > order) later = before;
  }
  return later && `${named(key)} comes before ${named(later)}`;
}

/** Tokens that begin another query than the one of the token. */
const startsOther: ReadonlySet<string> = new Set(['SELECT', 'UNION', 'INTERSECT', '|>', ';']);

const named = (clause: string): string =>
  clause === 'GROUP' || clause === 'ORDER' ? `${clause} BY` : clause;

const isArgument = (before: Token | undefined): boolean => before?.key === '(' || before?.key === ',';

const isPiece = (token: Token | undefined) => token?.kind === 'word' || token?.kind === 'integer';

/** A symbol between pieces of a name, without blanks. */
const inName = (at: TokenAt): string | undefined =>
  isPiece(at(-1)) && isPiece(at(1)) && at(-1)?.end === at(0)?.start && at(1)?.start === at(0)?.end
    ? asName
    : undefined;

const isNext = (at: TokenAt, key: string): boolean =>
  at(1)?.key.toUpperCase() === key.toUpperCase() && at(1)?.start === at(0)?.end;

const follows = (at: TokenAt, key: string): boolean => at(-1)?.key === key && at(-1)?.end === at(0)?.start;
