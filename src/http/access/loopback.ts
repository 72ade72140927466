import type { RequestHead } from '../head.ts';

const names = new Set(['localhost', '127.0.0.1', '::1', '[::1]']);

/** True for the names of this machine that nobody else can use. */
export function isLoopback(host: string): boolean {
  return names.has(host.toLowerCase());
}

/**
 * True where a browser on this machine asks, as far as the request tells. A proxy in front of us may ask for somebody else
 * under a name of this machine: its own headers give it away, and one that sends none is not known.
 */
export function isFromHere({ url, headerNames }: RequestHead): boolean {
  return url !== undefined && isLoopback(url.hostname) && !headerNames().some((name) => ofProxies.test(name));
}

const ofProxies = /^(forwarded|via|x-forwarded-.*|x-real-ip)$/;
