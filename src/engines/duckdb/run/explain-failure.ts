import { GatewayError } from '../../../errors.ts';
import {
  findQuotedParameter,
  type QuotedValues,
  unusableValue,
} from '../../../engine-contract/blame-parameter.ts';
import { callerSqlFailed, unsafeInteger } from '../../../engine-contract/engine-errors.ts';
import { tooMuchText, tooSlow } from '@querygate/bigquery-sql/duckdb';
import { sameName } from '@querygate/bigquery-sql/types';
import { InvalidSnapshotTime } from '@querygate/duckdb-import';

/** A DuckDB failure as the caller may see it. DuckDB's own text contains SQL and names, so it is only the cause. */
export function explainFailure(
  cause: unknown,
  bound: QuotedValues & { readonly sql?: string | undefined },
): GatewayError {
  const text = cause instanceof Error ? cause.message : String(cause);
  if (cause instanceof InvalidSnapshotTime) {
    const given = bound.query.parameters.find(({ name }) =>
      cause.parameters.some((one) => sameName(one, name)),
    );
    if (given === undefined)
      return new GatewayError('ENGINE_FAILED', `The query failed: ${cause.message}`, { cause });
    const { name } = given;
    return new GatewayError('INVALID_PARAMETER', `${name}: ${cause.message}`, { parameter: name, cause });
  }
  if (text.startsWith('Out of Memory')) {
    return new GatewayError('ENGINE_FAILED', 'The query needs more memory than the engine may use', {
      cause,
    });
  }
  const tooMuch = [tooMuchText, tooSlow].find((part) => text.includes(part));
  if (tooMuch !== undefined) {
    const whose = bound.sql === undefined ? 'The query failed' : 'sql';
    const message = `${whose}: ${tooMuch}; ask for fewer rows or shorter texts`;
    return new GatewayError('QUERY_TOO_EXPENSIVE', message);
  }
  if (text.includes(unsafeInteger)) {
    return new GatewayError('ENGINE_FAILED', `The query failed: ${unsafeInteger}`, { cause });
  }
  // Of several errors of a caller's SQL, the number of stored rows, also of other tenants, decides which one is reported.
  const isSaved = bound.sql === undefined;
  const pattern = bound.query.parameters.find(({ type }) => type === 'pattern');
  if (isSaved && pattern !== undefined && re2Error.test(text)) {
    const message = text.includes('pattern too large')
      ? `${pattern.name}: is too large for the engine when its {counts} are expanded; use smaller counts, or smaller classes in them`
      : `${pattern.name}: must be a regular expression in RE2 syntax (${reasonOfRe2(text)})`;
    return new GatewayError('INVALID_PARAMETER', message, { parameter: pattern.name, cause });
  }
  if (isSaved && valueError.test(text)) {
    const blamed = findQuotedParameter(text, bound);
    if (blamed !== undefined) return unusableValue(blamed, cause);
  }
  if (bound.sql !== undefined && text.startsWith('INTERNAL Error')) {
    const message = 'sql: DuckDB has a defect with this query; write subqueries as joins or common tables';
    return new GatewayError('ENGINE_FAILED', message, { cause });
  }
  if (bound.sql !== undefined && !isOfEngine.test(text)) return callerSqlFailed(cause);
  return new GatewayError('ENGINE_FAILED', 'The query failed', { cause });
}

const valueError =
  /^(?:(?:Conversion|Invalid Input|Out of Range) Error|Not implemented Error: Unknown TimeZone)/;

/** Classes of errors that no caller's SQL causes by itself. */
const isOfEngine =
  /^(IO|Fatal|FATAL|INTERNAL|Internal|Connection|Transaction\w*|Permission) Error|^(?!\w[\w ]* Error)/;

/** Why RE2 refuses a pattern, without the pattern. That of DuckDB has named groups in one of the two forms only. */
const reasonOfRe2 = (text: string): string =>
  text.includes(namedGroup)
    ? 'a named group is written (?P<name>…)'
    : (re2Error.exec(text)?.[1] ?? 'not valid');

const namedGroup = 'invalid perl operator: (?<';

/** The error of RE2 for a pattern. Binding has checked the pattern with a port of RE2, whose version differs. */
const re2Error =
  /^Invalid Input Error: (invalid (escape sequence|character class|perl operator|repetition size|UTF-8|named capture)|missing [\])]|unexpected \)|trailing \\|no argument for repetition|bad repetition|pattern too large)/;
