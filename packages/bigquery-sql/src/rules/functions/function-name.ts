import type { Path } from '../../syntax/nodes.ts';

/** A function's name in lower case, with its namespace: `net.host`. */
export const functionName = ({ parts }: Path): string =>
  parts.map(({ name }) => name.toLowerCase()).join('.');
