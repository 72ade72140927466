import { maxSqlLength, seenBySql, sqlParameter } from '../../catalog/binding/caller-sql.ts';
import { type Column, followSeconds, type SavedQuery } from '../../catalog/model/saved-query.ts';
import { parseVersionName } from '../../catalog/model/version-name.ts';
import type { PublicName } from '../../catalog/model/versions.ts';
import type { Renderers } from '../../formats/renderers.ts';
import { graphqlOperation } from '../../gateway/examples.ts';
import { endpointPath } from '../../http/message/paths.ts';
import { pascalCase, sqlFieldOf } from '../../names/graphql-names.ts';
import { deprecationHeaders, headersOf, pageHeaders, resultHeaders, rowArgumentHeaders } from './headers.ts';
import type { JsonObject } from '../../catalog/binding/parameter-schema.ts';
import { refTo } from './json-schema.ts';
import { requestParameters } from './parameters.ts';
import { otherResponses } from './responses.ts';
import { rowParameters } from './row-parameters.ts';

/** The name of the schema of a query's rows. */
export const rowName = ({ name }: SavedQuery): string => `${pascalCase(name)}Row`;

/** The forms of a query's rows besides JSON. */
const fileFormats = (query: SavedQuery, { all }: Renderers) =>
  all.filter(
    ({ names: [name], unavailable }) => name !== 'json' && unavailable?.(query, false) === undefined,
  );

/** Reads the rows of a saved query, under one of its names. @param canFollow as in the options of the document */
export function operation(
  { field, query, isPinned }: PublicName,
  canFollow: boolean,
  renderers: Renderers,
): JsonObject {
  const {
    id,
    name,
    aliases,
    description,
    maxRows,
    caching,
    deprecated,
    shadow,
    rowKey,
    rowArguments,
    pages,
  } = query;
  const addresses = [id, ...aliases].map((address) => endpointPath + address).join(' and ');
  const version = isPinned ? `Always version ${parseVersionName(name).version}. ` : '';
  return {
    operationId: field,
    tags: ['endpoints'],
    summary: description,
    description: `${version}${describeDeprecation(deprecated)}At most ${maxRows} rows. ${describeCaching(caching)} Also at ${addresses}.`,
    ...markDeprecated(query),
    parameters: [...requestParameters(query), ...rowParameters(query)],
    responses: {
      200: result(refTo('schemas', rowName(query)), maxRows, headersOfResult(query)),
      ...otherResponses,
    },
    ...(caching !== 'disabled' && {
      'x-caching': { ttl: caching.ttlSeconds, warming: caching.warmingSeconds },
      ...(canFollow && { 'x-live': followSeconds(caching) }),
    }),
    ...(rowKey && { 'x-row-key': rowKey }),
    ...(rowArguments && {
      'x-row-arguments': { filter: namesOf(rowArguments.filter), order: namesOf(rowArguments.order) },
    }),
    ...(pages && { 'x-page': pages.keys.map(({ column, descending }) => ({ column, descending })) }),
    'x-formats': fileFormats(query, renderers).map(({ names: [name] }) => name),
    'x-graphql': graphqlOperation({ field, query }),
    'x-version': parseVersionName(name).version,
    ...(shadow && { 'x-shadow': shadow.version }),
  };
}

const namesOf = (columns: readonly Column[]): readonly string[] => columns.map(({ name }) => name);

const markDeprecated = ({ deprecated }: SavedQuery): JsonObject =>
  deprecated === undefined ? {} : { deprecated: true };

function describeDeprecation(deprecated: SavedQuery['deprecated']): string {
  if (deprecated === undefined) return '';
  const { since, sunset, reason, successor } = deprecated;
  return [
    `Deprecated since ${since}${sunset === undefined ? '' : `, until ${sunset}`}`,
    ...(reason === undefined ? [] : [`: ${reason.replace(/[.]$/, '')}`]),
    ...(successor === undefined ? [] : [`; use ${endpointPath}${successor}`]),
    '. ',
  ].join('');
}

/**
 * Runs a caller's SQL over the common tables of a saved query. It has the path with the UUID: the same endpoint at another
 * address, because its rows have another schema.
 */
export function sqlOperation({ name, field, query }: PublicName): JsonObject {
  const { maxRows } = query;
  const sql = {
    name: sqlParameter,
    in: 'query',
    required: true,
    description: 'One SELECT in the BigQuery SQL dialect; it may use the other parameters as @name.',
    schema: { type: 'string', maxLength: maxSqlLength },
  };
  const row = {
    type: 'object',
    description: 'A column that is NULL is left out.',
    additionalProperties: true,
  };
  return {
    operationId: sqlFieldOf(field),
    ...markDeprecated(query),
    tags: ['endpoints'],
    summary: `One SELECT over the common tables of ${name}.`,
    description: `At most ${maxRows} rows, with the columns of the SELECT. Without ${sqlParameter}, this is the same as ${endpointPath}${name}.`,
    parameters: [sql, ...requestParameters(seenBySql(query))],
    responses: { 200: result(row, maxRows, headersOfResult(query)), ...otherResponses },
  };
}

/**
 * The rows of a saved query in the other formats, named by the extension of the path. They are an operation of their own: a
 * client generated from one operation with all of them would have no type for the JSON.
 *
 * @param addresses all of queries: such a path with an extension is of the query that it names
 * @returns undefined if no extension is left
 */
export function fileOperation(
  { name, field, query }: PublicName,
  renderers: Renderers,
  addresses: ReadonlySet<string>,
): JsonObject | undefined {
  const available = fileFormats(query, renderers).filter(
    ({ names: [format] }) => !addresses.has(`${name}.${format}`),
  );
  if (available.length === 0) return undefined;
  const format = {
    name: 'format',
    in: 'path',
    required: true,
    description:
      'The extension of the path. ?format= and Accept choose a format too, at the path without extension.',
    schema: { type: 'string', enum: available.map(({ names: [name] }) => name) },
  };
  const content = available.flatMap(({ mediaTypes: [mediaType] }) =>
    mediaType === undefined
      ? []
      : [[mediaType, /^text|json/.test(mediaType) ? { schema: { type: 'string' } } : {}]],
  );
  return {
    operationId: `${field}_file`,
    ...markDeprecated(query),
    tags: ['endpoints'],
    summary: `The rows of ${name} in other formats.`,
    parameters: [format, ...requestParameters(query), ...rowParameters(query)],
    responses: {
      200: {
        description: 'The rows, in the order of the query.',
        headers: headersOf('ContentDisposition', ...headersOfResult(query)),
        content: Object.fromEntries(content),
      },
      ...otherResponses,
    },
  };
}

function describeCaching(caching: SavedQuery['caching']): string {
  if (caching === 'disabled') return 'Results are not cached.';
  const { ttlSeconds, warmingSeconds } = caching;
  const warming =
    warmingSeconds === undefined ? '' : `, and refreshed every ${warmingSeconds} s while they are used`;
  return `Results are cached for ${ttlSeconds} s${warming}.`;
}

const headersOfResult = ({ deprecated, rowArguments, pages }: SavedQuery): readonly string[] => [
  ...resultHeaders,
  ...(rowArguments === undefined ? [] : rowArgumentHeaders),
  ...(pages === undefined ? [] : pageHeaders),
  ...(deprecated === undefined ? [] : deprecationHeaders),
];

function result(row: JsonObject, maxRows: number, headers: readonly string[]): JsonObject {
  return {
    description: 'The rows, in the order of the query.',
    headers: headersOf(...headers),
    content: {
      'application/json': {
        schema: {
          type: 'object',
          required: ['result'],
          properties: { result: { type: 'array', maxItems: maxRows, items: row } },
        },
      },
    },
  };
}
