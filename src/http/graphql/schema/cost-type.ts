import type { Cost } from '../../../engine-contract/engine.ts';
import type { Builder } from './builder.ts';

/** The type `Cost`, shared by all endpoints. */
export function addCostType(builder: Builder) {
  return builder.objectRef<Cost>('Cost').implement({
    description:
      'What computing the rows cost, as reported by the query engine; fields it does not report are null.',
    fields: (t) => ({
      bytesProcessed: t.exposeFloat('bytesProcessed', {
        nullable: true,
        description: 'Bytes read.',
      }),
      bytesBilled: t.exposeFloat('bytesBilled', {
        nullable: true,
        description: 'Bytes billed.',
      }),
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
}

export type CostRef = ReturnType<typeof addCostType>;
