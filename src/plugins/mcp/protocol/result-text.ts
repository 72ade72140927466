import { once } from '../../../memoize.ts';
import { packageVersion } from '../../../version.ts';
import type { Era } from './era.ts';

/** How the server names itself. */
export const serverInfo = once(() => ({ name: 'querygate', title: 'Querygate', version: packageVersion() }));

const metaText = once(() => JSON.stringify({ 'io.modelcontextprotocol/serverInfo': serverInfo() }));

/** How long a client may keep a list. */
export const listTtlMs = 60_000;

/**
 * The JSON text of a result: its members in their era.
 *
 * @param members JSON texts of values, by their names
 * @param ttlMs of results that clients may keep; what a key gets is for that key only
 */
export function resultText(era: Era, members: Readonly<Record<string, string>>, ttlMs?: number): string {
  const pairs = Object.entries(members).map(([name, json]) => `"${name}":${json}`);
  if (era === 'modern') {
    pairs.unshift('"resultType":"complete"');
    if (ttlMs !== undefined) pairs.push(`"ttlMs":${ttlMs},"cacheScope":"private"`);
    pairs.push(`"_meta":${metaText()}`);
  }
  return `{${pairs.join(',')}}`;
}
