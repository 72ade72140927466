import type { FieldMap } from '@pothos/core';
import { isoText } from '../../../files/timestamps.ts';
import type { CachedResult, CacheStatus } from '../../../results/get-result.ts';
import type { Builder, FieldBuilder } from './builder.ts';
import type { CostRef } from './cost-type.ts';
import { textFormats } from './field-type.ts';

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

/** The types that the results of all queries share. */
export interface SharedTypes {
  readonly cost: CostRef;
  readonly cacheStatus: CacheStatusRef;
}

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
