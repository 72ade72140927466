import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Node's place for what is compiled, which later processes find there: it takes half of the time of a start. */
export const compileCache = (): string =>
  process.env.NODE_COMPILE_CACHE ?? join(tmpdir(), 'node-compile-cache');
