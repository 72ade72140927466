import { z } from 'zod';
import type { Engine } from '../../../engine-contract/engine.ts';
import type { Client } from './client.ts';
import { resourceRequest } from './resource-request.ts';
import { optional } from './wire.ts';
import type { BigqueryOptions } from '../bigquery-options.ts';

const tableReply = z.object({
  type: z.literal('TABLE'),
  lastModifiedTime: z.string(),
  streamingBuffer: optional(z.unknown()),
});

/** One look at a table is for all runs that begin within this time; the plug-in `increments` allows for it. */
const keepMs = 5_000;

/**
 * Says if tables have changed at all, which costs nothing to ask. Rows of a streaming buffer come without a sign, and a view
 * does not say when the tables that it reads have changed.
 *
 * @see https://cloud.google.com/bigquery/docs/reference/rest/v2/tables/get
 */
export function buildTableChanges(
  client: Client,
  options: BigqueryOptions,
  timeoutMs: number,
): NonNullable<Engine['changes']> {
  const looks = new Map<string, { readonly at: number; readonly modified: Promise<string | undefined> }>();

  const modifiedOf = async (name: string, signal: AbortSignal): Promise<string | undefined> => {
    const table = resourceRequest('tables', name, options);
    const request = { ...table, path: `${table.path}?fields=type,lastModifiedTime,streamingBuffer` };
    try {
      const { status, text } = await client.call(request, { timeoutMs, signal });
      const reply = status === 200 ? tableReply.safeParse(JSON.parse(text)) : undefined;
      return reply?.data?.streamingBuffer === undefined ? reply?.data?.lastModifiedTime : undefined;
    } catch {
      return undefined;
    }
  };
  const look = (name: string, signal: AbortSignal) => {
    const last = looks.get(name);
    if (last !== undefined && performance.now() - last.at < keepMs) return last.modified;
    const modified = modifiedOf(name, signal);
    looks.set(name, { at: performance.now(), modified });
    return modified;
  };
  return async (tables, since, signal) => {
    const modified = await Promise.all(tables.map(({ name }) => look(name, signal)));
    const state = modified.includes(undefined) ? '' : JSON.stringify(modified);
    return { state, changed: state !== '' && state === since ? [] : 'late' };
  };
}
