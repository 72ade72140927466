const names = new Set(['localhost', '127.0.0.1', '::1', '[::1]']);

/** True for the names of this machine that are not reachable from others. */
export function isLoopback(host: string): boolean {
  return names.has(host.toLowerCase());
}
