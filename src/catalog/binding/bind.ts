import { GatewayError } from '../../errors.ts';
import type { EnumParameter, Parameter, SavedQuery } from '../saved-query.ts';
import { checkPlain } from './check-value.ts';

/** The longest value that a parameter may have, in characters. */
export const maxValueLength = 4_096;

/** Parameters as received: all values of each name, in the order of the request. */
export type RawParameters = ReadonlyMap<string, readonly string[]>;

/** Raw parameters with one value for each name. */
export function plainParameters(values: Readonly<Record<string, string>>): RawParameters {
  return new Map(Object.entries(values).map(([name, value]) => [name, [value]]));
}

/** A saved query with checked parameters: what an engine runs. Defaults and fallbacks are applied. */
export interface BoundQuery {
  readonly query: SavedQuery;
  /** One entry for every declared parameter; '' for an absent optional one. */
  readonly parameters: Readonly<Record<string, string>>;
  /**
   * A caller's SELECT over the common tables of the query, to run in place of its last SELECT. It is not checked yet: an
   * engine runs it only through `engine/sandbox`.
   */
  readonly sql?: string;
  /** Labels for the engine's bill. They do not affect the result and are not part of the cache key. */
  readonly labels?: Readonly<Record<string, string>>;
}

/**
 * Checks a caller's parameters against the declarations of a saved query.
 *
 * @param raw names that the query does not declare are ignored
 * @throws GatewayError MISSING_PARAMETER | INVALID_PARAMETER, naming the parameter and what would be right
 */
export function bind(query: SavedQuery, raw: RawParameters): BoundQuery {
  return bindTexts(query, (parameter) => singleText(parameter, raw));
}

/** As `bind`, with the text of each parameter from a function; '' means absent. */
export function bindTexts(query: SavedQuery, textOf: (parameter: Parameter) => string): BoundQuery {
  const parameters = query.parameters.map(
    (parameter) => [parameter.name, checkText(parameter, textOf(parameter))] as const,
  );
  return { query, parameters: Object.fromEntries(parameters) };
}

/**
 * The one text of a parameter; '' if it is absent. Empty equals absent: existing clients send `function_id=` for "all
 * functions".
 *
 * @throws GatewayError INVALID_PARAMETER if there are several, or one that no parameter may have
 */
export function singleText(parameter: Parameter, raw: RawParameters): string {
  const values = raw.get(parameter.name) ?? [];
  if (values.length > 1) throw invalid(parameter, 'is repeated; send it once');
  const [value = ''] = values;
  if (value.length > maxValueLength) {
    throw invalid(parameter, `has ${value.length} characters; the limit is ${maxValueLength}`);
  }
  if (value.includes('\0')) throw invalid(parameter, 'contains a NUL byte; remove it');
  if (!value.isWellFormed()) {
    throw invalid(parameter, 'is not well-formed Unicode; send UTF-8, percent-encoded');
  }
  return value;
}

function checkText(parameter: Parameter, text: string): string {
  const value = text === '' ? (parameter.default ?? '') : text;
  if (value === '') {
    if (!parameter.required) return '';
    throw new GatewayError('MISSING_PARAMETER', `${parameter.name}: is required; ${rightValue(parameter)}`, {
      parameter: parameter.name,
    });
  }
  if (parameter.type === 'enum') return checkEnum(parameter, value);
  const checked = checkPlain(parameter.type, value);
  if ('wrong' in checked) throw invalid(parameter, `got ${shorten(value)}; ${checked.wrong}`);
  return checked.value;
}

function checkEnum(parameter: EnumParameter, value: string): string {
  const listed = parameter.values.find((allowed) => allowed.value === value || allowed.also.includes(value));
  if (listed !== undefined) return listed.value;
  if (parameter.unknown === 'default' && parameter.default !== undefined) return parameter.default;
  throw invalid(parameter, `got ${shorten(value)}; ${rightValue(parameter)}`);
}

function rightValue(parameter: Parameter): string {
  if (parameter.type === 'enum') return `one of ${parameter.values.map(({ value }) => value).join(', ')}`;
  return parameter.description.charAt(0).toLowerCase() + parameter.description.slice(1);
}

function shorten(value: string): string {
  return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value);
}

function invalid(parameter: Parameter, what: string): GatewayError {
  return new GatewayError('INVALID_PARAMETER', `${parameter.name}: ${what}`, { parameter: parameter.name });
}
