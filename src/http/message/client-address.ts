import { isIP } from 'node:net';
import { type AddressList, plainAddress } from '../../config/address-list.ts';

/**
 * The address of a caller: the peer's, or behind trusted proxies the last one in X-Forwarded-For that is not a proxy's.
 * Whatever comes before that one may have been written by the caller.
 *
 * @param peer the address of the connection; undefined without a connection
 * @param trusted undefined: no proxy is trusted
 */
export function clientAddress(
  peer: string | undefined,
  forwardedFor: string | undefined,
  trusted: AddressList | undefined,
): string | undefined {
  let address = peer === undefined ? undefined : plainAddress(peer);
  if (address === undefined || trusted === undefined || forwardedFor === undefined) return address;
  const hops = forwardedFor.split(',');
  while (trusted.has(address)) {
    const hop = hops.pop();
    const next = hop === undefined ? undefined : addressOfHop(hop.trim());
    if (next === undefined) return address;
    address = next;
  }
  return address;
}

/** Some proxies write a port, and brackets around IPv6. */
function addressOfHop(hop: string): string | undefined {
  const [, inBrackets, beforePort] = /^\[([^\]]+)\](?::\d+)?$|^([\d.]+):\d+$/.exec(hop) ?? [];
  const address = plainAddress(inBrackets ?? beforePort ?? hop);
  return isIP(address) === 0 ? undefined : address;
}
