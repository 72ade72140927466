import type { GraphQLResolveInfo } from 'graphql';
import { camelCase, pascalCase } from '../../../catalog/names.ts';
import type { SavedQuery } from '../../../catalog/saved-query.ts';
import { isoText } from '../../../files/timestamps.ts';
import type { CachedResult, CacheStatus } from '../../../results/get-result.ts';
import { parseRows } from '../../../results/result-document.ts';
import { collectFields } from '../compiled/collect-fields.ts';
import { type RowSize, rowListBytes, rowSizeOf } from '../row-size.ts';
import type { Builder, SchemaTypes } from './builder.ts';
import type { CostRef } from './cost-type.ts';
import { describeField, outputValue, textFormats } from './field-type.ts';
import { fieldType } from './record-type.ts';

type Row = Readonly<Record<string, unknown>>;

type CacheStatusRef = ReturnType<typeof addCacheStatus>;

/** The enum `CacheStatus`, shared by all saved queries. */
export function addCacheStatus(builder: Builder) {
  return builder.enumType('CacheStatus', {
    description: 'How the rows were obtained.',
    values: {
      HIT: { description: 'From the cache, fresh.' },
      STALE: {
        description:
          'From the cache, stale: older than the caching time, because newer rows could not be computed.',
      },
      MISS: { description: 'Computed for this request.' },
      SHARED: { description: 'Computed for an equal request that was already running.' },
      BYPASS: {
        description: 'Computed because the query is not cached, or because the request bypassed the cache.',
      },
    } satisfies Record<CacheStatus, object>,
  });
}

/** The type of a saved query's field: its rows and their metadata. */
export function addResultType(builder: Builder, query: SavedQuery, shared: SharedTypes) {
  const name = pascalCase(query.name);
  const row = builder.objectRef<Row>(`${name}Row`).implement({
    description: describeRow(query),
    fields: (t) =>
      Object.fromEntries(
        query.columns.map((column) => [
          camelCase(column.name),
          t.field({
            type: fieldType(
              builder,
              {
                typeName: `${name}Row_${camelCase(column.name)}`,
                path: column.name,
                query: query.name,
              },
              column,
            ),
            nullable: !column.required,
            description: describeField(column),
            resolve: (values) => outputValue(column, values[column.name]) as never,
          }),
        ]),
      ),
  });
  return builder.objectRef<CachedResult>(`${name}Result`).implement({
    description: `The result of ${query.name}, at most ${query.maxRows} rows.`,
    fields: (t) => ({
      rows: t.field({
        type: [row],
        description: 'The rows, in the order of the saved query.',
        resolve: async ({ document }, _args, context, info) => {
          await context.chargeResponseBytes(rowListBytes(selectedRowSize(info), document));
          return [...parseRows(document)];
        },
      }),
      ...metadataFields(t, shared),
    }),
  });
}

/** The types that the results of all queries share. */
export interface SharedTypes {
  readonly cost: CostRef;
  readonly cacheStatus: CacheStatusRef;
}

type ResultFields = PothosSchemaTypes.ObjectFieldBuilder<
  PothosSchemaTypes.ExtendDefaultTypes<SchemaTypes>,
  CachedResult
>;

/** What every result says beside its rows. */
export const metadataFields = (t: ResultFields, { cost, cacheStatus }: SharedTypes) => ({
  rowCount: t.int({
    description: 'The number of rows.',
    resolve: ({ document }) => document.metadata.rowCount,
  }),
  truncated: t.boolean({
    description: 'True if max rows cut the result.',
    resolve: ({ document }) => document.metadata.truncated,
  }),
  cost: t.field({
    type: cost,
    nullable: true,
    description: 'What computing the rows cost; null on an engine without billing.',
    resolve: ({ document }) => document.metadata.cost,
  }),
  computedAt: t.field({
    type: 'String',
    description: `When the rows were computed. ${textFormats.timestamp}`,
    resolve: ({ document }) => isoText(document.computedAt * 1000),
  }),
  stale: t.boolean({
    description:
      'True if the rows are older than the caching time, because newer ones could not be computed.',
    resolve: ({ cacheStatus }) => cacheStatus === 'STALE',
  }),
  cacheStatus: t.field({
    type: cacheStatus,
    description: 'How the rows were obtained.',
    resolve: ({ cacheStatus }) => cacheStatus,
  }),
});

function selectedRowSize({ fieldNodes, fragments, variableValues }: GraphQLResolveInfo): RowSize {
  const selections = fieldNodes.flatMap(({ selectionSet }) => selectionSet ?? []);
  const byName = new Map(Object.entries(fragments));
  const { coerced } = variableValues;
  return rowSizeOf(collectFields(selections, byName, coerced), byName, coerced);
}

/** Clients with normalized caches take the field `id` for the identity of an object, unless they are configured. */
function describeRow({ name, columns }: SavedQuery): string {
  const hasId = columns.some((column) => camelCase(column.name) === 'id');
  const warning =
    'Not an entity: rows of other arguments may have the same id, so caches must not merge them by it.';
  return `One row of ${name}.${hasId ? ` ${warning}` : ''}`;
}
