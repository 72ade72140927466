import type { Logger } from 'pino';

/** An error as the log may show it: as it is only if the operator has chosen a level that shows values. */
export function errorToLog(error: unknown, log: Pick<Logger, 'isLevelEnabled'>): unknown {
  return log.isLevelEnabled('debug') ? error : withoutValues(error);
}

/**
 * An error for the log, without values of rows and parameters: engines quote both. It keeps the class of the error, its
 * text up to the first value, and where it was thrown.
 */
export function withoutValues(error: unknown): unknown {
  if (typeof error === 'string') return problemWithoutValues(error);
  if (!(error instanceof Error)) return undefined;
  const { name, message, stack = '' } = error;
  // A system error such as ECONNREFUSED has an address, and no values.
  const isSystemError = 'syscall' in error;
  // The stack begins with the message, which may look like a part of the stack.
  const at = stack.indexOf(message);
  return {
    type: name,
    message: isSystemError ? message : messageWithoutValues(message),
    stack: at < 0 ? '' : stack.slice(at + message.length).trimStart(),
  };
}

/** A problem of the data without quoted texts, and in a row without numbers: `a.ndjson:3: ts: … is not a timestamp`. */
export function problemWithoutValues(problem: string): string {
  const [place = ''] = /^.*?:(?: row | line )?\d+: |^/.exec(problem) ?? [];
  const full = problem.slice(place.length);
  const ofFile = place === '' ? full.replace(/^[^:]*: /, '') : full;
  if (adviceOnly.test(ofFile) || aboutFile.test(problem)) return problem;
  // A text that was cut may end inside of quotes.
  const isCut = full.length >= maxReasonLength || (full.match(/["'`]/g) ?? []).length % 2 === 1;
  const reason = full.replace(isCut ? /["'`].*$/s : /["'`].*["'`]/s, '…');
  return place + (place === '' ? reason : reason.replace(/(?<![\w.])-?\d[\w.,+-]*/g, '…'));
}

/** Reasons that quote nothing but commands and counts of ours, whole: a value that has their words has others around them. */
const adviceOnly = new RegExp(
  `^(?:not JSON: )?(?:${[
    'must be UTF-8(?:; it is UTF-16|; line \\d+ is not)?: iconv -f (?:latin1|utf-16(?:[bl]e)?) -t utf-8',
    String.raw`must have lines that end in LF or CRLF; they end in CR: tr '\\r' '\\n'`,
    String.raw`must have one kind of line ends; line \d+ ends in (?:CRLF|LF), line \d+ in (?:CRLF|LF): (?:sed -i 's/\\r\$//' makes all LF|write LF into all)`,
    // A key is no value.
    String.raw`the key "\w{1,60}" occurs twice`,
    String.raw`the line is longer than \d+ MB`,
    String.raw`Expected Number of Columns: \d{1,6} Found: \d{1,6}`,
  ].join('|')})$`,
);

/** DuckDB's reasons about a file as a whole, which name it again. */
const aboutFile =
  /^(.+): (?:File '\1' too small to be a Parquet file|No magic bytes found at end of file '\1')$/s;

/** Reasons are cut to this length. */
const maxReasonLength = 240;

function messageWithoutValues(message: string): string {
  const [prefix = '', duckdbClass, bigqueryReason] =
    /^(?:([A-Z][\w -]* )Error: |BigQuery: \d* (\w*) )/.exec(message) ?? [];
  const text = message.slice(prefix.length);
  if (duckdbClass !== undefined) {
    return prefix + (classesWithoutValues.test(duckdbClass) ? firstLine(text) : untilValue(text));
  }
  if (bigqueryReason === undefined) return untilValue(text);
  if (!/^(?:invalid|invalidQuery|)$/.test(bigqueryReason)) return prefix + firstLine(text);
  // ERROR() in SQL may make the whole text of values.
  const [phrase = ''] = bigqueryPhrases.exec(text) ?? [];
  return `${prefix}${phrase}…`;
}

/** Classes of DuckDB's errors that are about the database and the machine. */
const classesWithoutValues = /^(?:Out of Memory|IO|Interrupt|Permission|TransactionContext|FATAL) $/;

/** How messages of BigQuery about values begin. */
const bigqueryPhrases =
  /^(?:Bad \w+ value|Cannot|Could not cast|Division by zero|Failed to parse|Function not found|Invalid|No matching signature|Syntax error|Unrecognized name|Query error|Array index)\b:? ?/i;

const firstLine = (text: string) => text.split('\n', 1)[0] ?? '';

/** Cuts before what may be a value, and appends the type after a quoted value. */
function untilValue(text: string): string {
  const at = text.search(/["'`:([{\n]|(?<!\w)-?\d/);
  if (at < 0) return text;
  const [type = ''] =
    / (?:to|from) (?:U?INT\d*|BIGINT|DOUBLE|FLOAT|BOOLEAN|DATE|TIME|TIMESTAMP(?: WITH TIME ZONE)?|INTERVAL)$/.exec(
      text,
    ) ?? [];
  return `${text.slice(0, at).trimEnd()} …${type}`;
}
