import { GatewayError } from '../../errors.ts';
import type { EnumParameter, Parameter, SavedQuery } from '../saved-query.ts';
import { checkPlain } from './check-value.ts';

/** The longest value that a parameter may have, in characters. */
export const maxValueLength = 4_096;

/** Parameters as received: every value that was given for a name, in the order given. */
export type RawParameters = ReadonlyMap<string, readonly string[]>;

/** One value for each name, as raw parameters. */
export function plainParameters(values: Readonly<Record<string, string>>): RawParameters {
  return new Map(Object.entries(values).map(([name, value]) => [name, [value]]));
}

/** A question an engine may run: every declared parameter as text, checked, with defaults and fallbacks applied. */
export interface BoundQuery {
  readonly query: SavedQuery;
  /** One entry for every declared parameter; '' where an optional one is absent. */
  readonly parameters: Readonly<Record<string, string>>;
  /** Labels for the engine's bill. They are no part of the question: its answer is the same with others. */
  readonly labels?: Readonly<Record<string, string>>;
}

/**
 * Checks a caller's parameters against what a saved query declares.
 *
 * @param raw names the query does not declare are ignored
 * @throws GatewayError MISSING_PARAMETER | INVALID_PARAMETER, naming the parameter and what would be right
 */
export function bind(query: SavedQuery, raw: RawParameters): BoundQuery {
  const parameters = query.parameters.map((parameter) => {
    const value = givenOnce(parameter, raw.get(parameter.name) ?? []);
    return [parameter.name, effective(parameter, value)] as const;
  });
  return { query, parameters: Object.fromEntries(parameters) };
}

/**
 * The one value that was given for a parameter. Empty equals absent: existing clients send `function_id=` for "all
 * functions".
 *
 * @throws GatewayError INVALID_PARAMETER where there are several, or one that no parameter may have
 */
export function givenOnce(parameter: Parameter, values: readonly string[]): string {
  if (values.length > 1) throw invalid(parameter, 'given more than once; give it once');
  const [value = ''] = values;
  if (value.length > maxValueLength) {
    throw invalid(parameter, `has ${value.length} characters; at most ${maxValueLength} are read`);
  }
  if (value.includes('\0')) throw invalid(parameter, 'holds a NUL byte; leave it out');
  if (!value.isWellFormed())
    throw invalid(parameter, 'is not well-formed Unicode; send UTF-8, percent-encoded');
  return value;
}

function effective(parameter: Parameter, given: string): string {
  const value = given === '' ? (parameter.default ?? '') : given;
  if (value === '') {
    if (!parameter.required) return '';
    throw new GatewayError('MISSING_PARAMETER', `${parameter.name}: is required; ${rightValue(parameter)}`, {
      parameter: parameter.name,
    });
  }
  if (parameter.type === 'enum') return listed(parameter, value);
  const checked = checkPlain(parameter.type, value);
  if ('wrong' in checked) throw invalid(parameter, `got ${quote(value)}; ${checked.wrong}`);
  return checked.value;
}

function listed(parameter: EnumParameter, value: string): string {
  if (parameter.values.some((one) => one.value === value)) return value;
  if (parameter.unknown === 'default' && parameter.default !== undefined) return parameter.default;
  throw invalid(parameter, `got ${quote(value)}; ${rightValue(parameter)}`);
}

function rightValue(parameter: Parameter): string {
  if (parameter.type === 'enum') return `one of ${parameter.values.map(({ value }) => value).join(', ')}`;
  return parameter.description.charAt(0).toLowerCase() + parameter.description.slice(1);
}

function quote(value: string): string {
  return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value);
}

function invalid(parameter: Parameter, what: string): GatewayError {
  return new GatewayError('INVALID_PARAMETER', `${parameter.name}: ${what}`, { parameter: parameter.name });
}
