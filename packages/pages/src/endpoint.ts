import { basePath } from './base-path.ts';
import type { Json, JsonObject } from './json.ts';

/** The JSON Schema of a parameter's value, as far as a form shows it. */
export interface ValueSchema {
  readonly type?: string;
  readonly format?: string;
  readonly enum?: readonly string[];
  readonly 'x-enum-descriptions'?: readonly string[];
  readonly 'x-enum-varnames'?: readonly string[];
  /** The other spellings of each value. */
  readonly 'x-enum-aliases'?: readonly (readonly string[])[];
  readonly default?: Json;
  /** As in `-1d`: a default that the gateway resolves when it gets the request. */
  readonly 'x-relative-default'?: Json;
  /** A default with more digits than numbers of JSON. */
  readonly 'x-exact-default'?: Json;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: ValueSchema;
}

export interface Parameter {
  readonly name: string;
  readonly description: string;
  readonly required: boolean;
  readonly schema: ValueSchema;
  /** A value, or several of a list, as texts. */
  readonly example: readonly string[];
  /** The value that the SQL gets if the caller sends none. */
  readonly fallback: readonly string[];
  readonly isTenant: boolean;
  /** Its type in the SQL. */
  readonly bind: string;
}

export interface Column {
  readonly name: string;
  /** As in the header of the query: `timestamp`, `integer`, `record`, … */
  readonly type: string;
  readonly repeated: boolean;
  readonly unit: string | undefined;
  readonly required: boolean;
  readonly description: string;
}

export interface Caching {
  /** Seconds that a result is kept. */
  readonly ttl: number;
  /** Seconds between refreshes of results that are used. */
  readonly warming?: number;
}

export interface PageKey {
  readonly column: string;
  readonly descending: boolean;
}

/** The same as a GraphQL operation. */
interface GraphqlOperation {
  readonly document: string;
  /** The variable of each parameter. */
  readonly variables: Readonly<Record<string, string>>;
}

/** An endpoint as the OpenAPI document describes it. */
export interface Endpoint {
  readonly name: string;
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  readonly isDeprecated: boolean;
  readonly parameters: readonly Parameter[];
  readonly columns: readonly Column[];
  readonly maxRows: number | undefined;
  readonly caching: Caching | undefined;
  /** How often a result is refreshed while it is followed, in seconds; undefined if it cannot be followed. */
  readonly liveSeconds: number | undefined;
  /** Columns whose values distinguish the rows; none if their order does. */
  readonly rowKey: readonly string[];
  /** Columns by which callers may filter the rows of a result, and order them. */
  readonly filter: readonly string[];
  readonly order: readonly string[];
  /** The columns by which pages of rows are ordered; none if there are no pages. */
  readonly pageKeys: readonly PageKey[];
  readonly graphql: GraphqlOperation;
  /** The names of other formats. */
  readonly formats: readonly string[];
  /** The name without its version number. */
  readonly base: string;
  readonly version: number;
  /** The version that runs beside this one, whose rows are compared. */
  readonly shadow: number | undefined;
}

/** The rights of the reader's key. */
export interface ReadersKey {
  readonly permissions: readonly string[];
  /** undefined: all, or too many to list. */
  readonly tenants?: readonly string[];
}

interface Operation {
  readonly summary?: string;
  readonly description?: string;
  readonly deprecated?: boolean;
  readonly parameters?: readonly RawParameter[];
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, Content>> }>>;
  readonly 'x-caching'?: Caching;
  readonly 'x-live'?: number;
  readonly 'x-row-key'?: readonly string[];
  readonly 'x-row-arguments'?: Pick<Endpoint, 'filter' | 'order'>;
  readonly 'x-page'?: readonly PageKey[];
  readonly 'x-formats'?: readonly string[];
  readonly 'x-graphql'?: GraphqlOperation;
  readonly 'x-version'?: number;
  readonly 'x-shadow'?: number;
}

interface RawParameter {
  readonly $ref?: string;
  readonly name: string;
  readonly in: string;
  readonly description?: string;
  readonly required?: boolean;
  readonly schema: ValueSchema;
  readonly example?: Json;
  /** True if the example is not the author's. */
  readonly 'x-placeholder'?: boolean;
  readonly 'x-tenant'?: boolean;
  /** True for a row argument, which is not a parameter of the query. */
  readonly 'x-row-argument'?: boolean;
  readonly 'x-bind'?: string;
}

interface Content {
  readonly schema?: { readonly properties?: { readonly result?: ResultSchema } };
}

interface ResultSchema {
  readonly maxItems?: number;
  readonly items: { readonly $ref?: string };
}

interface RowSchema {
  readonly properties: Readonly<Record<string, ColumnSchema>>;
  readonly required?: readonly string[];
}

interface ColumnSchema {
  readonly type?: string;
  readonly description?: string;
  readonly 'x-type'?: string;
  /** The description of the author alone. */
  readonly 'x-description'?: string;
  readonly 'x-unit'?: string;
}

export interface OpenapiDocument {
  readonly paths: Readonly<Record<string, { readonly get: Operation }>>;
  readonly components: { readonly schemas: Readonly<Record<string, RowSchema>> };
  readonly 'x-key'?: ReadersKey;
}

const endpointPath = '/api/endpoints/query/';

/** The endpoints of the document, by name. */
export function endpointsOf(document: OpenapiDocument): readonly Endpoint[] {
  return Object.entries(document.paths)
    .flatMap(([path, { get }]) =>
      get['x-graphql'] === undefined ? [] : [endpointOf(document, path, get, get['x-graphql'])],
    )
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

function endpointOf(
  document: OpenapiDocument,
  path: string,
  operation: Operation,
  graphql: GraphqlOperation,
): Endpoint {
  const { summary = '', description = '', deprecated = false, parameters = [], responses } = operation;
  const result = responses['200']?.content?.['application/json']?.schema?.properties?.result;
  const rowName = result?.items.$ref?.split('/').at(-1) ?? '';
  const name = path.slice(endpointPath.length);
  return {
    name,
    base: name.replace(/@\d+$/, ''),
    version: operation['x-version'] ?? 1,
    shadow: operation['x-shadow'],
    path: basePath + path,
    summary,
    description,
    isDeprecated: deprecated,
    parameters: parameters.flatMap((raw) =>
      raw.in === 'query' && raw['x-row-argument'] !== true ? [parameterOf(raw)] : [],
    ),
    columns: columnsOf(document.components.schemas[rowName]),
    maxRows: result?.maxItems,
    caching: operation['x-caching'],
    liveSeconds: operation['x-live'],
    rowKey: operation['x-row-key'] ?? [],
    filter: operation['x-row-arguments']?.filter ?? [],
    order: operation['x-row-arguments']?.order ?? [],
    pageKeys: operation['x-page'] ?? [],
    graphql,
    formats: operation['x-formats'] ?? [],
  };
}

function parameterOf(raw: RawParameter): Parameter {
  const { name, description = '', required = false, schema, example } = raw;
  return {
    name,
    // The values of an enum follow, which the form shows as choices.
    description: description.split('\n\n- `', 1)[0] ?? '',
    required,
    schema,
    example: raw['x-placeholder'] === true ? [] : textsOf(example),
    fallback: textsOf(schema.default ?? schema['x-relative-default'] ?? schema['x-exact-default']),
    isTenant: raw['x-tenant'] === true,
    bind: raw['x-bind'] ?? 'STRING',
  };
}

function textsOf(value: Json | undefined): readonly string[] {
  if (value === undefined || value === null) return [];
  return (Array.isArray(value) ? (value as readonly Json[]) : [value]).map(String);
}

const columnsOf = (row: RowSchema | undefined): readonly Column[] =>
  Object.entries(row?.properties ?? {}).map(([name, schema]) => ({
    name,
    type: schema['x-type'] ?? schema.type ?? 'json',
    repeated: schema.type === 'array',
    unit: schema['x-unit'],
    required: row?.required?.includes(name) ?? false,
    description: schema['x-description'] ?? schema.description ?? '',
  }));

/** The value of a column; undefined for NULL. A column may have the name of a member of `Object.prototype`. */
export function valueIn(row: JsonObject, { name }: Column): Json | undefined {
  const value = Object.hasOwn(row, name) ? row[name] : undefined;
  return value === null ? undefined : value;
}
