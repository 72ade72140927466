import { z } from 'zod';
import { untilAborted } from '../../../concurrency/abort.ts';
import type { Engine, TimedTable } from '../../../engine-contract/engine.ts';
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

  const modifiedOf = async (name: string): Promise<string | undefined> => {
    const table = resourceRequest('tables', name, options);
    const request = { ...table, path: `${table.path}?fields=type,lastModifiedTime,streamingBuffer` };
    const { status, text } = await client.call(request, { timeoutMs });
    if (status === 429 || status >= 500) throw new Error(`status ${status}`);
    const { data } = tableReply.safeParse(status === 200 ? JSON.parse(text) : undefined);
    return data?.streamingBuffer === undefined ? data?.lastModifiedTime : undefined;
  };
  const look = ({ name }: TimedTable) => {
    const last = looks.get(name);
    if (last !== undefined && performance.now() - last.at < keepMs) return last.modified;
    const modified = modifiedOf(name).catch(() => {
      // Runs that begin later look again: to read rows as if they might be late is not free.
      if (looks.get(name)?.modified === modified) looks.delete(name);
      return undefined;
    });
    looks.set(name, { at: performance.now(), modified });
    return modified;
  };
  return async (tables, since, signal) => {
    // Others wait for the same looks: a caller that leaves does not end them.
    const modified = await untilAborted(Promise.all(tables.map(look)), signal).catch(() => [undefined]);
    const state = modified.includes(undefined) ? '' : JSON.stringify(modified);
    return { state, changed: state !== '' && state === since ? [] : 'late' };
  };
}
