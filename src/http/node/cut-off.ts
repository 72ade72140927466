import type { Socket } from 'node:net';

/** Resets a connection with an incomplete response: to a client of HTTP/1.0 any other end of it is that of the body. */
export function cutOff(socket: Socket): void {
  try {
    socket.resetAndDestroy();
  } catch {
    // Only a TCP socket can be reset.
    socket.destroy();
  }
}
