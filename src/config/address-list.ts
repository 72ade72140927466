import { BlockList, isIP } from 'node:net';

/** A set of IP addresses. */
export interface AddressList {
  has(address: string): boolean;
}

/** Shorthands for the ranges that proxies usually have. */
const namedRanges: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  private: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
};

/** The right texts of a list, for messages. */
export const addressTexts = 'addresses or ranges, as in 10.0.0.0/8, or loopback, or private';

/** @returns undefined unless each text is an address, a range such as `10.0.0.0/8`, `loopback` or `private` */
export function parseAddressList(texts: readonly string[]): AddressList | undefined {
  const list = new BlockList();
  for (const text of texts.flatMap((one) => namedRanges[one] ?? [one])) {
    const range = parseRange(text);
    if (range === undefined) return undefined;
    list.addSubnet(range.address, range.bits, range.family);
  }
  return { has: (address) => checkAddress(list, address) };
}

/** True for an IP address, or a range of addresses such as `10.0.0.0/8` or `2001:db8::/32`. */
export const isAddressRange = (text: string): boolean => parseRange(text) !== undefined;

function parseRange(text: string) {
  const [address = '', bits, ...more] = text.split('/');
  const version = isIP(address);
  // An address with a zone (`fe80::1%eth0`) means another host on each interface.
  if (version === 0 || more.length > 0 || address.includes('%')) return undefined;
  const longest = version === 4 ? 32 : 128;
  if (bits !== undefined && !(/^\d{1,3}$/.test(bits) && Number(bits) <= longest)) return undefined;
  const family = version === 4 ? ('ipv4' as const) : ('ipv6' as const);
  return { address, bits: bits === undefined ? longest : Number(bits), family };
}

function checkAddress(list: BlockList, text: string): boolean {
  const address = plainAddress(text);
  const version = isIP(address);
  return version !== 0 && list.check(address, version === 4 ? 'ipv4' : 'ipv6');
}

/** An IPv4 address as such: a socket that listens on `::` shows it as `::ffff:192.0.2.1`. */
export function plainAddress(address: string): string {
  const mapped = address.startsWith('::ffff:') ? address.slice(7) : '';
  return isIP(mapped) === 4 ? mapped : address;
}

/**
 * Whom to count for one address: an IPv4 address itself; the /64 of an IPv6 address, of which one host usually has all
 * 2^64 addresses.
 */
export function addressGroup(text: string): string {
  const address = plainAddress(text);
  if (isIP(address) !== 6) return address;
  const [head = '', tail] = (address.split('%')[0] ?? '').split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  // A dotted IPv4 part at the end counts as two groups.
  const length = before.length + after.length + (address.includes('.') ? 1 : 0);
  const zeros = tail === undefined ? [] : Array<string>(Math.max(0, 8 - length)).fill('0');
  const groups = [...before, ...zeros, ...after].slice(0, 4);
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`;
}
