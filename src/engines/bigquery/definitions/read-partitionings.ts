import { z } from 'zod';
import { tablesRead } from '@querygate/bigquery-sql/analysis';
import type { SavedQuery } from '../../../catalog/model/saved-query.ts';
import { Slots } from '../../../concurrency/slots.ts';
import type { Partitioning } from '../../../engine-contract/engine.ts';
import type { Client } from '../api/client.ts';
import { optional } from '../api/wire.ts';
import type { BigqueryOptions } from '../bigquery-options.ts';
import { resourceRequest } from '../api/resource-request.ts';

interface ReadContext {
  readonly client: Client;
  readonly options: BigqueryOptions;
  readonly timeoutMs: number;
  readonly concurrency: number;
  readonly signal: AbortSignal;
}

/** Reads how the tables of queries are partitioned. Those that cannot be read are left out: a dry run says what is wrong. */
export async function readPartitionings(
  queries: readonly SavedQuery[],
  context: ReadContext,
): Promise<ReadonlyMap<string, Partitioning>> {
  const names = new Set(queries.flatMap((query) => [...(tablesRead(query.sql) ?? [])]));
  const slots = new Slots(context.concurrency);
  const found = await Promise.all(
    [...names].map((name) =>
      slots.run(context.signal, async () => [name, await readPartitioning(name, context)] as const),
    ),
  );
  return new Map(found.flatMap(([name, one]) => (one === undefined ? [] : [[name, one]])));
}

const tableReply = z.object({
  timePartitioning: optional(
    z.object({ type: z.enum(['HOUR', 'DAY', 'MONTH', 'YEAR']), field: optional(z.string()) }),
  ),
});

async function readPartitioning(
  name: string,
  { client, options, timeoutMs, signal }: ReadContext,
): Promise<Partitioning | undefined> {
  try {
    const { status, text } = await client.call(resourceRequest('tables', name, options), {
      timeoutMs,
      signal,
    });
    if (status >= 400) return undefined;
    const { timePartitioning } = tableReply.parse(JSON.parse(text));
    if (timePartitioning === undefined) return undefined;
    // Without a column, by the time at which rows came.
    return { unit: timePartitioning.type, column: timePartitioning.field ?? '_PARTITIONTIME' };
  } catch {
    signal.throwIfAborted();
    return undefined;
  }
}
