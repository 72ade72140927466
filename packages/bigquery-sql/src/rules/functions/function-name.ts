import { foldName } from '@querygate/text';
import type { Path } from '../../syntax/nodes.ts';

/** A function's name in lower case, with its namespace: `net.host`. */
export const functionName = ({ parts }: Path): string => parts.map(({ name }) => foldName(name)).join('.');

/** The namespaces of functions that only compute: `SAFE.SUBSTR`, `NET.HOST`, `HLL_COUNT.MERGE`. */
export const namespaces: ReadonlySet<string> = new Set(['safe', 'net', 'hll_count', 'kll_quantiles']);
