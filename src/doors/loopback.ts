const names = new Set(['localhost', '127.0.0.1', '::1', '[::1]']);

/** True for the names of this machine that nobody else can use. */
export function isLoopback(host: string): boolean {
  return names.has(host.toLowerCase());
}
