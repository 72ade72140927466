/** As URLs and sockets write them: an address of version 4 may be within one of version 6. */
const loopback = /^(?:localhost\.?|::1|(?:::ffff:)?127(?:\.\d{1,3}){3}|::ffff:7f[0-9a-f]{2}:[0-9a-f]{1,4})$/i;

/** True for the names of this machine that are not reachable from others. */
export function isLoopback(host: string): boolean {
  return loopback.test(host.replace(/^\[(.*)\]$/, '$1'));
}
