import { describeParameter, fitsSchemas, typedValue } from '../../catalog/binding/describe-parameter.ts';
import { exampleValue } from '../../catalog/binding/example-parameters.ts';
import { type JsonObject, parameterSchema } from '../../catalog/binding/parameter-schema.ts';
import type { Parameter, SavedQuery } from '../../catalog/model/saved-query.ts';
import { labelsHeader } from '../../call/gate.ts';
import { refTo } from './json-schema.ts';

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
  const isShown = example !== undefined && fitsSchemas(parameter, example);
  return {
    name,
    in: 'query',
    required,
    description: describe(parameter, isTenant),
    // A parameter of its own for each value: ?status=200&status=404.
    ...(parameter.repeated && { style: 'form', explode: true }),
    schema: parameterSchema(parameter),
    ...(isShown && { example: typedValue(parameter, example) }),
    ...(isShown && parameter.example === undefined && { 'x-placeholder': true }),
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
