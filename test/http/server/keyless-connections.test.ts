import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { parseAddressList } from '../../../src/config/address-list.ts';
import { markKeyed } from '../../../src/http/message/head.ts';
import { trackConnections } from '../../../src/http/node/connections.ts';
import { limitKeylessConnections } from '../../../src/http/node/keyless-connections.ts';

const limit = 5;

describe('connections over which no valid key was sent', () => {
  const sockets: Socket[] = [];
  const closers: (() => void)[] = [];
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
    for (const close of closers.splice(0)) close();
  });

  /** Requests to /key have a valid key, those to /slow are never answered. */
  async function serve(trusted: readonly string[] = []) {
    const server = createServer();
    const connections = trackConnections(server, (message, response) => {
      if (message.url === '/key') markKeyed(message.socket);
      if (message.url !== '/slow') response.end('ok');
    });
    limitKeylessConnections(server, connections, { limit, trustedProxies: parseAddressList(trusted) });
    server.listen(0, '0.0.0.0');
    await once(server, 'listening');
    closers.push(() => {
      server.closeAllConnections();
      server.close();
    });
    const { port } = server.address() as AddressInfo;
    const open = async (localAddress = '127.0.0.1') => {
      const socket = connect({ port, host: '127.0.0.1', localAddress }).on('error', () => {});
      sockets.push(socket);
      const accepted = once(server, 'connection');
      await once(socket, 'connect');
      await accepted;
      return socket;
    };
    const send = async (socket: Socket, path: string) => {
      socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`);
      if (path !== '/slow') await once(socket, 'data');
      else await sleep(50);
    };
    return { open, send };
  }
  const openOnes = async (list: readonly Socket[]) => {
    // Each is a turn of the event loop, which a pause of the process does not leave out.
    for (let turn = 0; turn < 10; turn += 1) await sleep(10);
    for (const socket of list) socket.read();
    return list.map((socket) => !socket.readableEnded && !socket.destroyed && socket.readable);
  };
  const openMany = async (open: () => Promise<Socket>, count: number) => {
    const list: Socket[] = [];
    for (let at = 0; at < count; at += 1) list.push(await open());
    return list;
  };

  test('are bounded by address: the oldest is closed, and the newest is served', async () => {
    const { open, send } = await serve();
    const list = await openMany(open, limit + 3);
    const others = await openMany(() => open('127.0.0.2'), limit);
    await send(list.at(-1) as Socket, '/');
    expect(await openOnes(list)).toEqual([false, false, false, true, true, true, true, true]);
    expect(await openOnes(others)).toEqual(Array(limit).fill(true));
  });

  test('do not include those with a key, and those that wait for a response are kept', async () => {
    const { open, send } = await serve();
    const keyed = await open();
    await send(keyed, '/key');
    const slow = await open();
    await send(slow, '/slow');
    const list = await openMany(open, limit + 1);
    expect(await openOnes([keyed, slow, ...list])).toEqual([
      true,
      true,
      false,
      false,
      true,
      true,
      true,
      true,
    ]);
  });

  test('are not bounded for a trusted proxy', async () => {
    const { open } = await serve(['127.0.0.1']);
    expect(await openOnes(await openMany(open, limit + 3))).toEqual(Array(limit + 3).fill(true));
  });

  test('leave room when they are closed', async () => {
    const { open } = await serve();
    for (const socket of await openMany(open, limit)) socket.destroy();
    await sleep(50);
    expect(await openOnes(await openMany(open, limit))).toEqual(Array(limit).fill(true));
  });
});
