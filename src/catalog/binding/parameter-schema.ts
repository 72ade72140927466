import type { Parameter } from '../model/saved-query.ts';
import { fitsSchemas, typedValue } from './describe-parameter.ts';
import { textsOf } from './list-values.ts';
import { isRelative } from './times.ts';
import { defaultMaxItems, maxValueLength } from './value-limits.ts';

/** A part of an OpenAPI document, or a JSON Schema (2020-12). */
export type JsonObject = Readonly<Record<string, unknown>>;

/** The JSON Schema of a parameter's values, as OpenAPI and tools of agents describe it. */
export function parameterSchema(parameter: Parameter): JsonObject {
  const { maxItems = defaultMaxItems, repeated, required } = parameter;
  const value = valueSchema(parameter);
  const schema = repeated
    ? { type: 'array', items: value, maxItems, ...(required && { minItems: 1 }) }
    : value;
  return { ...schema, ...defaultSchema(parameter) };
}

function defaultSchema(parameter: Parameter): JsonObject {
  const { default: text } = parameter;
  if (text === undefined) return {};
  if (fitsSchemas(parameter, text)) return { default: typedValue(parameter, text) };
  const isTimed = textsOf(text).some((one) => isRelative(parameter, one));
  return { [isTimed ? 'x-relative-default' : 'x-exact-default']: text };
}

/** The schema of one value, with its bounds as far as JSON Schema has them; the description has them all. */
function valueSchema(parameter: Parameter): JsonObject {
  if (parameter.type === 'enum') return enumSchema(parameter);
  const { max, maxLength, min, pattern, type } = parameter;
  const isNumber = (bound: string | undefined): bound is string =>
    bound !== undefined && (type === 'integer' || type === 'float') && fitsSchemas(parameter, bound);
  return {
    ...schemas[type],
    ...(isNumber(min) && { minimum: Number(min) }),
    ...(isNumber(max) && { maximum: Number(max) }),
    ...(maxLength !== undefined && { maxLength }),
    ...(pattern !== undefined && isPatternOfSchemas(pattern) && { pattern }),
  };
}

/** True if a pattern of RE2 means the same in JSON Schema, which has the patterns of JavaScript. */
function isPatternOfSchemas(pattern: string): boolean {
  if (/\[:\^?\w+:\]|\\[pPzQbB]|\(\?[^:]/.test(pattern)) return false;
  try {
    return new RegExp(pattern, 'u') !== undefined;
  } catch {
    return false;
  }
}

/** Generators of code name the values by `x-enum-varnames`. The pages write the other spellings of a value as the value. */
function enumSchema({ values }: Extract<Parameter, { readonly type: 'enum' }>): JsonObject {
  const hasAliases = values.some(({ also }) => also.length > 0);
  return {
    type: 'string',
    enum: values.map(({ value }) => value),
    'x-enum-varnames': values.map(({ name }) => name),
    'x-enum-descriptions': values.map(({ description }) => description),
    ...(hasAliases && { 'x-enum-aliases': values.map(({ also }) => also) }),
  };
}

const text = { type: 'string', maxLength: maxValueLength };

const schemas: Readonly<Record<Exclude<Parameter['type'], 'enum'>, JsonObject>> = {
  string: text,
  pattern: text,
  date: { type: 'string', format: 'date' },
  // Of the OpenAPI format registry: date-time without a time zone.
  datetime: { type: 'string', format: 'date-time-local' },
  timestamp: { type: 'string', format: 'date-time' },
  integer: { type: 'integer', format: 'int64' },
  float: { type: 'number', format: 'double' },
  boolean: { type: 'boolean' },
};
