import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');

/** Buffers are freed by a thread, and by finalizers a turn of the event loop later: the next collection waits for the thread. */
export const collectGarbage = runInNewContext('gc') as () => void;
