import { describeParameter, fitsSchemas, typedValue } from '../../catalog/binding/describe-parameter.ts';
import { exampleValue } from '../../catalog/binding/example-parameters.ts';
import { textsOf } from '../../catalog/binding/list-values.ts';
import { isRelative } from '../../catalog/binding/times.ts';
import { defaultMaxItems, maxValueLength } from '../../catalog/binding/value-limits.ts';
import type { Parameter, SavedQuery } from '../../catalog/model/saved-query.ts';
import { labelsHeader } from '../../call/gate.ts';
import { type JsonObject, refTo } from './json-schema.ts';

/** The parameters and headers that a request to an endpoint may carry. */
export function requestParameters(query: SavedQuery): readonly JsonObject[] {
  const shared = Object.keys(sharedParameters).map((name) => refTo('parameters', name));
  return [...queryParameters(query), ...(query.labels.length > 0 ? [labelsParameter(query)] : []), ...shared];
}

type EnumParameter = Extract<Parameter, { readonly type: 'enum' }>;

interface QueryParameter extends JsonObject {
  readonly name: string;
  readonly required: boolean;
  readonly description: string;
  readonly schema: JsonObject;
}

/** The parameters that a query string may have. */
export const queryParameters = (query: SavedQuery): readonly QueryParameter[] =>
  query.parameters.map((parameter) => queryParameter(query, parameter));

function queryParameter({ tenant }: SavedQuery, parameter: Parameter): QueryParameter {
  const { name, required } = parameter;
  const isTenant = tenant?.parameter === name;
  const example = exampleValue(parameter);
  return {
    name,
    in: 'query',
    required,
    description: describe(parameter, isTenant),
    // A parameter of its own for each value: ?status=200&status=404.
    ...(parameter.repeated && { style: 'form', explode: true }),
    schema: parameterSchema(parameter),
    ...(example !== undefined &&
      fitsSchemas(parameter, example) && { example: typedValue(parameter, example) }),
    ...(isTenant && { 'x-tenant': true }),
    ...(parameter.bind !== undefined && { 'x-bind': parameter.bind }),
  };
}

function describe(parameter: Parameter, isTenant: boolean): string {
  return [
    ...describeParameter(parameter),
    parameter.type === 'pattern' && !parameter.description.includes('RE2')
      ? 'A regular expression in the syntax of RE2.'
      : undefined,
    isTenant ? 'A key that is restricted to tenants must name one of its own.' : undefined,
    ...(parameter.type === 'enum' ? ['', ...parameter.values.map(describeValue)] : []),
  ]
    .filter((text) => text !== undefined)
    .join('\n');
}

const describeValue = ({ value, also, description }: EnumParameter['values'][number]): string =>
  `- \`${value}\`: ${description}${also.length > 0 ? ` Also written ${also.join(', ')}.` : ''}`;

/** The values of a parameter. */
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
  return isTimed ? { 'x-relative-default': text } : {};
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
function enumSchema({ values }: EnumParameter): JsonObject {
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

function labelsParameter({ labels }: SavedQuery): JsonObject {
  return {
    name: labelsHeader,
    in: 'header',
    description: `Labels for the bill of the query engine, as in ${labels[0]}=a-value. Allowed: ${labels.join(', ')}.`,
    schema: { type: 'string' },
  };
}

/** Headers that every endpoint reads. */
export const sharedParameters: Readonly<Record<string, JsonObject>> = {
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description: 'The ETag of an earlier response: the response is 304 if the rows are the same.',
    schema: { type: 'string' },
  },
  CacheControl: {
    name: 'Cache-Control',
    in: 'header',
    description:
      'no-cache runs the query again if the key has the permission fresh; other values are ignored.',
    schema: { type: 'string' },
    example: 'no-cache',
  },
  RequestId: {
    name: 'X-Request-ID',
    in: 'header',
    description: 'An id of the request, for the log; it is repeated in the response.',
    schema: { type: 'string', maxLength: 128 },
  },
  TraceParent: {
    name: 'traceparent',
    in: 'header',
    description: "The caller's trace, as W3C Trace Context defines it.",
    schema: { type: 'string' },
  },
};
