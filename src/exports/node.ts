/** A server of Node that callers reach without a proxy. @module */
export { errorToLog } from '../engine-contract/without-values.ts';
export type { Connections } from '../http/node/connections.ts';
export { openServer, type ServerOptions } from '../http/node/open-server.ts';
