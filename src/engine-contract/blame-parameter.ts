import type { BoundQuery } from '../catalog/binding/bind.ts';
import { textsOf } from '../catalog/binding/list-values.ts';
import type { SavedQuery } from '../catalog/model/saved-query.ts';
import { GatewayError } from '../errors.ts';

/** The parameters of a query with their values. */
export interface QuotedValues extends Pick<BoundQuery, 'parameters'> {
  readonly query: Pick<SavedQuery, 'parameters'>;
}

/** The name of the first parameter whose value is quoted in the text of an engine's failure. */
export function findQuotedParameter(text: string, { query, parameters }: QuotedValues): string | undefined {
  return query.parameters.find(({ name }) =>
    textsOf(parameters[name] ?? '').some((value) => isQuoted(text, value)),
  )?.name;
}

/** The error for a parameter whose value made the query fail. The cause is for the log only. */
export function unusableValue(parameter: string, cause: unknown): GatewayError {
  const message = `${parameter}: got a value that the query cannot use`;
  return new GatewayError('INVALID_PARAMETER', message, { parameter, cause });
}

/** Engines quote as in `string 'abc' to INT64` or `Bad int64 value: abc`, the latter in DuckDB with a final `'`. */
function isQuoted(text: string, value: string): boolean {
  if (value === '') return false;
  return (
    [`'${value}'`, `"${value}"`, `\`${value}\``].some((quoted) => text.includes(quoted)) ||
    [`: ${value}'`, `: ${value};`].some((quoted) => text.includes(quoted)) ||
    text.endsWith(`: ${value}`)
  );
}
