/** DuckDB's messages about a value at run time, and GoogleSQL's words for them. */
const explanations: readonly (readonly [pattern: RegExp, message: string])[] = [
  // The macro that raises an error does so by a cast.
  [/^Could not convert string 'error: ([\s\S]*)' to INT8[\s\S]*$/, '$1'],
  [/^Overflow in \w+ of INT64 \((.*)\)[\s\S]*$/, 'int64 overflow: $1'],
  [/^Overflow on abs\((.*)\)[\s\S]*$/, 'int64 overflow: ABS($1)'],
  [/^Overflow in negation of [\s\S]*$/, 'int64 overflow: -(-9223372036854775808)'],
  [/^Overflow in division of (.*?)[!;]?$/, 'int64 overflow: $1'],
  // DuckDB counts the digits of DECIMAL without its point.
  [/^Overflow in (\w+) of DECIMAL[\s\S]*$/, 'numeric overflow in $1'],
  [/^Could not cast value \S+ to DECIMAL[\s\S]*$/, 'numeric overflow'],
  [/^Casting value "(.*?)" to type DECIMAL[\s\S]*$/, 'numeric overflow: $1'],
  [/^Could not convert string "(.*?)" to DECIMAL[\s\S]*$/, 'numeric overflow: $1'],
  [/^Failed to cast decimal value (\S+) to type INT64[\s\S]*$/, 'int64 out of range: $1'],
  [/^Could not convert string '(-?\d+)' to INT64[\s\S]*$/, 'int64 overflow: $1'],
  [/^Could not convert string ['"]([\s\S]*)['"] to INT64[\s\S]*$/, 'Bad int64 value: $1'],
  [/^Type INT128 with value (\S+) can't be cast [\s\S]*$/, 'int64 overflow: $1'],
  [/^Type DOUBLE with value (\S+) can't be cast [\s\S]*$/, 'int64 out of range: $1'],
  [/^Failure in decode: [\s\S]*$/, 'Invalid cast of bytes to UTF8 string'],
  [/^Could not decode string [\s\S]* as base64[\s\S]*$/, 'Failed to decode invalid base64 string'],
  [/^More than one row returned by a subquery [\s\S]*$/, 'a subquery that is a value has more than one row'],
  [
    /^Invalid string encoding found in Parquet file "(.*?)": [\s\S]*$/,
    '$1: a text of a column is not UTF-8; write it as UTF-8, or as BYTES',
  ],
  [/^Unknown TimeZone '(.*?)'[\s\S]*$/, 'Invalid time zone: $1'],
  [/^(?:invalid )?(date|time|timestamp) field (?:value|format)[^"]*"(.*?)"[\s\S]*$/, 'Bad $1 value: $2'],
  [/^Date and time not in timestamp range[\s\S]*$/, 'date or datetime out of range'],
  [/^cannot take square root of a negative number[\s\S]*$/, 'Argument to SQRT cannot be negative'],
  [
    /^((?:missing|invalid|unexpected|bad|no argument|trailing)[^:]*: [\s\S]*|pattern too large[\s\S]*)$/,
    'Cannot parse regular expression: $1',
  ],
];

/**
 * GoogleSQL's words for what fails at run time, without the SQL and the types of DuckDB.
 *
 * @param reason DuckDB's message without the class of the error
 */
export function runProblem(reason: string): string {
  // The line of DuckDB's SQL is in a paragraph of its own.
  const [problem = ''] = reason.split(/\n\nLINE \d+: /);
  const known = explanations.find(([pattern]) => pattern.test(problem));
  return known ? problem.replace(...known) : (problem.split('\n\n')[0] ?? '').trim();
}

/** True if a value has this problem, although DuckDB reports it as one of the query. */
export const isOfValue = (reason: string): boolean => reason.startsWith('Unknown TimeZone ');
