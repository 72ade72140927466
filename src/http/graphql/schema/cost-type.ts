import type { Cost } from '../../../engine/engine.ts';
import type { Builder } from './builder.ts';

/** What computing an answer cost: one type for all endpoints. */
export function addCostType(builder: Builder) {
  return builder.objectRef<Cost>('Cost').implement({
    description: 'What the query engine says that computing the rows cost; null where it does not say.',
    fields: (t) => ({
      bytesProcessed: t.expose('bytesProcessed', {
        type: 'SafeInt',
        nullable: true,
        description: 'Bytes that were read.',
      }),
      bytesBilled: t.expose('bytesBilled', {
        type: 'SafeInt',
        nullable: true,
        description: 'Bytes that are paid for.',
      }),
      slotMs: t.expose('slotMs', {
        type: 'SafeInt',
        nullable: true,
        description: 'Milliseconds of one slot, summed over all slots.',
      }),
      cacheHit: t.exposeBoolean('cacheHit', {
        nullable: true,
        description: 'True where the engine gave rows that it had kept.',
      }),
      jobId: t.exposeString('jobId', {
        nullable: true,
        description: "The engine's job; null where the query ran without one.",
      }),
    }),
  });
}

export type CostRef = ReturnType<typeof addCostType>;
