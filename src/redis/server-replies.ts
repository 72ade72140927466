import type { createClient } from '@keyv/redis';

/** Redis's own errors begin with a word in capitals; those of a script in an old Redis have it later. */
const errorReply = /^(?:ERR Error running script .*: -)?(?<code>[A-Z]{2,}) /;

/** @returns the word that an error reply begins with, e.g. `OOM`; undefined for an error of the connection */
export function replyCode(error: unknown): string | undefined {
  return error instanceof Error ? errorReply.exec(error.message)?.groups?.code : undefined;
}

/**
 * With these a server says that it cannot serve this connection, while another one at the same address, or the same one on a
 * new connection, perhaps can: after a failover the old primary is a replica, and its connections stay open.
 */
const otherServer = new Set([
  'READONLY',
  'MASTERDOWN',
  'NOREPLICAS',
  'NOREPLICA',
  'NOMASTERLINK',
  'LOADING',
  'BUSY',
  'MISCONF',
  'CLUSTERDOWN',
  'MOVED',
  'ASK',
  'TRYAGAIN',
  'NOAUTH',
  'WRONGPASS',
]);

/** True if an error means that the connection is of no use any more. */
export function endsConnection(error: unknown): boolean {
  const code = replyCode(error);
  return code === undefined || otherServer.has(code);
}

/** The server is one that gateways cannot share. */
export class UnsupportedServer extends Error {}

type Commands = Pick<ReturnType<typeof createClient>, 'ping' | 'sendCommand' | 'set'>;

/** @throws UnsupportedServer for a Redis Cluster or a Sentinel; what Redis replies if it cannot serve this connection */
export async function checkServer(client: Commands): Promise<void> {
  await client.ping();
  // A server that does not know the command, or does not permit it, is found by what it replies later.
  const facts: unknown = await client.sendCommand(['HELLO']).catch(() => undefined);
  const mode: unknown = Array.isArray(facts) ? facts[facts.indexOf('mode') + 1] : undefined;
  if (mode === 'sentinel')
    throw new UnsupportedServer(
      'it is a Sentinel, which is not supported: give the address of the Redis that it watches',
    );
  if (mode === 'cluster')
    throw new UnsupportedServer(
      'it is a Redis Cluster, which is not supported: what gateways change in one step is in several slots; give a Redis that is not in cluster mode',
    );
  await checkWrites(client);
}

/**
 * A replica that has been a primary answers reads, and is noticed by a write only.
 *
 * @returns the error of a full Redis: it can be read
 */
export async function checkWrites(client: Commands): Promise<Error | undefined> {
  try {
    await client.set('querygate:probe', '', { PX: 1 });
  } catch (error) {
    if (error instanceof Error && replyCode(error) === 'OOM') return error;
    throw error;
  }
}
