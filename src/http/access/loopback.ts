import { parseAddressList } from '../../config/address-list.ts';
import { isLoopback } from '../../config/loopback.ts';
import type { RequestHead } from '../message/head.ts';

/**
 * True if a browser on this machine sent the request, as far as the request shows. A proxy in front of us may use a
 * loopback name on behalf of others: its own headers reveal it, but a proxy that sends none cannot be recognized.
 */
export function isFromLoopback({ hostname }: URL, { address, headers }: RequestHead): boolean {
  return (
    address !== undefined &&
    loopback?.has(address) === true &&
    // A page of another site may have a name that leads to this machine.
    isLoopback(hostname) &&
    !Object.keys(headers).some((name) => proxyHeader.test(name))
  );
}

const loopback = parseAddressList(['loopback']);

const proxyHeader = /^(forwarded|via|x-forwarded-.*|x-real-ip)$/;
