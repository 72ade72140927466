import type { RequestHeaders } from '../head.ts';

const names = new Set(['localhost', '127.0.0.1', '::1', '[::1]']);

/** True for the names of this machine that are not reachable from others. */
export function isLoopback(host: string): boolean {
  return names.has(host.toLowerCase());
}

/**
 * True if a browser on this machine sent the request, as far as the request shows. A proxy in front of us may use a
 * loopback name on behalf of others: its own headers reveal it, but a proxy that sends none cannot be recognized.
 */
export function isFromLoopback({ hostname }: URL, headers: RequestHeaders): boolean {
  return isLoopback(hostname) && !Object.keys(headers).some((name) => proxyHeader.test(name));
}

const proxyHeader = /^(forwarded|via|x-forwarded-.*|x-real-ip)$/;
