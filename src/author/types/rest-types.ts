import type { SavedQuery } from '../../catalog/model/saved-query.ts';
import { publicNames } from '../../catalog/model/versions.ts';
import { statusOf } from '../../errors.ts';
import { queryParameters } from '../../plugins/openapi/parameters.ts';
import { isRestError } from '../../plugins/openapi/responses.ts';
import { rowSchema } from '../../plugins/openapi/row-schema.ts';
import { arrayOf, literalUnion, type Member, objectType } from './members.ts';

/** The types of REST, from the schemas of the OpenAPI document. */
export function restTypes(queries: readonly SavedQuery[]): string {
  const endpoints = publicNames({ queries }).map(
    ({ name, query }): Member => ({
      name,
      description: `${query.description}${query.deprecated === undefined ? '' : '\n@deprecated'}`,
      type: objectType([
        { name: 'parameters', type: parametersType(query) },
        { name: 'row', type: typeOf(rowSchema(query)) },
      ]),
    }),
  );
  const codes = Object.keys(statusOf).filter(isRestError);
  return `/** What each REST endpoint takes and returns, by its name. */
export interface RestEndpoints ${objectType(endpoints)}

/** The body of a response with status 200. */
export interface RestResult<Name extends keyof RestEndpoints> {
  result: ${arrayOf("RestEndpoints[Name]['row']")};
}

/** The body of every other response. */
export interface RestError {
  error: {
    code: RestErrorCode;
    /** Says what was wrong, and what would be right. */
    message: string;
    /** The parameter that was wrong, if it was one. */
    parameter?: string;
  };
}

export type RestErrorCode =
${codes.map((code) => `  | ${JSON.stringify(code)}`).join('\n')};
`;
}

function parametersType(query: SavedQuery): string {
  return objectType(
    queryParameters(query).map(({ name, required, description, schema }) => ({
      name,
      description,
      isOptional: !required,
      type: typeOf(schema),
    })),
  );
}

/** The parts of JSON Schema that the schemas of rows and parameters use. */
interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly description?: string;
}

function typeOf({ type, ...schema }: Schema): string {
  if (Array.isArray(type)) return type.map((one: string) => typeOf({ ...schema, type: one })).join(' | ');
  return typeOfOne({ ...schema, ...(type !== undefined && { type }) });
}

function typeOfOne(schema: Schema): string {
  if (schema.enum !== undefined) return literalUnion(schema.enum);
  switch (schema.type) {
    case 'array':
      return arrayOf(typeOf(schema.items ?? {}));
    case 'object':
      return schema.properties === undefined ? '{ [field: string]: unknown }' : recordType(schema);
    case 'integer':
    case 'number':
      return 'number';
    case 'string':
    case 'boolean':
    case 'null':
      return schema.type;
    default:
      return 'unknown';
  }
}

function recordType({ properties = {}, required = [] }: Schema): string {
  return objectType(
    Object.entries(properties).map(([name, schema]) => ({
      name,
      description: schema.description,
      isOptional: !required.includes(name),
      type: typeOf(schema),
    })),
  );
}
