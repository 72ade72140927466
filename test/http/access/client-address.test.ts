import { describe, expect, test } from 'vitest';
import { addressGroup, parseAddressList } from '../../../src/config/address-list.ts';
import { clientAddress } from '../../../src/http/message/client-address.ts';

describe('the address of a caller', () => {
  const trusted = parseAddressList(['loopback', '10.0.0.0/8', 'fd00::/8']);

  test.each([
    ['192.0.2.1', undefined, '192.0.2.1'],
    ['192.0.2.1', '203.0.113.9', '192.0.2.1'],
    ['127.0.0.1', undefined, '127.0.0.1'],
    ['127.0.0.1', '203.0.113.9', '203.0.113.9'],
    ['::ffff:127.0.0.1', '::ffff:203.0.113.9', '203.0.113.9'],
    ['::1', '203.0.113.9, 10.1.1.1,fd00::1', '203.0.113.9'],
    ['10.1.1.1', '1.1.1.1, 203.0.113.9', '203.0.113.9'],
    ['10.1.1.1', '203.0.113.9:4711', '203.0.113.9'],
    ['10.1.1.1', '[2001:db8::1]:4711', '2001:db8::1'],
    ['10.1.1.1', '[2001:db8::1]', '2001:db8::1'],
    ['10.1.1.1', '10.2.2.2', '10.2.2.2'],
    ['10.1.1.1', 'unknown', '10.1.1.1'],
    ['10.1.1.1', '', '10.1.1.1'],
    ['10.1.1.1', '203.0.113.9, ,', '10.1.1.1'],
    ['10.1.1.1', '203.0.113.9, not-an-address', '10.1.1.1'],
    [undefined, '203.0.113.9', undefined],
  ])('from %s with X-Forwarded-For %j is %s', (peer, header, expected) => {
    expect(clientAddress(peer, header, trusted)).toBe(expected);
    expect(clientAddress(peer, header, undefined)).toBe(peer?.replace('::ffff:', ''));
  });

  test.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['2001:0DB8:0:0:1:2:3:4', '2001:db8:0:0::/64'],
    ['2001:db8:0:1::', '2001:db8:0:1::/64'],
    ['::', '0:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['64:ff9b::192.0.2.1', '64:ff9b:0:0::/64'],
  ])('%s is counted as %s', (address, group) => {
    expect(addressGroup(address)).toBe(group);
  });
});
