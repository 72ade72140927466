import type { FieldMap } from '@pothos/core';
import { isoText } from '../../../files/timestamps.ts';
import type { Cost } from '../../../engine-contract/engine.ts';
import type { CachedResult, CacheStatus } from '../../../results/get-result.ts';
import type { Builder, FieldBuilder } from './builder.ts';
import { textFormats } from './field-type.ts';

const addCost = (builder: Builder) =>
  builder.objectRef<Cost>('Cost').implement({
    description:
      'What computing the rows cost, as reported by the query engine; fields it does not report are null.',
    fields: (t) => ({
      bytesProcessed: t.exposeFloat('bytesProcessed', { nullable: true, description: 'Bytes read.' }),
      bytesBilled: t.exposeFloat('bytesBilled', { nullable: true, description: 'Bytes billed.' }),
      slotMs: t.exposeFloat('slotMs', {
        nullable: true,
        description: 'Milliseconds of one slot, summed over all slots.',
      }),
      cacheHit: t.exposeBoolean('cacheHit', {
        nullable: true,
        description: "True if the rows came from the engine's own cache.",
      }),
      jobId: t.exposeString('jobId', {
        nullable: true,
        description: "The engine's job id; null if the query ran without a job.",
      }),
    }),
  });

function addCacheStatus(builder: Builder) {
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

/** Adds the types that the results of all queries share. */
export const addSharedTypes = (builder: Builder) => ({
  cost: addCost(builder),
  cacheStatus: addCacheStatus(builder),
});

export type SharedTypes = ReturnType<typeof addSharedTypes>;

/** The fields that every result has beside its rows. */
export const metadataFields = (
  t: FieldBuilder<CachedResult>,
  { cost, cacheStatus }: SharedTypes,
): FieldMap => ({
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
  dataVersion: t.field({
    type: 'String',
    nullable: true,
    description: 'The snapshot of the lake that the rows are of; null for other data.',
    resolve: ({ document }) => document.metadata.dataVersion,
  }),
  stale: t.boolean({
    description:
      'True if the rows are older than the caching time, because newer ones could not be computed.',
    resolve: ({ cacheStatus }, _args, context) => context.ofObtaining(cacheStatus === 'STALE'),
  }),
  cacheStatus: t.field({
    type: cacheStatus,
    description: 'How the rows were obtained.',
    resolve: ({ cacheStatus }, _args, context) => context.ofObtaining(cacheStatus),
  }),
});
