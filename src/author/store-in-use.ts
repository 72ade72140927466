import { storeInUse } from '@querygate/duckdb-import';
import { StartError } from '../errors.ts';

/** True for the error of a store that a gateway has open: the rows can be imported once more, into memory. */
export const isStoreInUse = (error: unknown): boolean =>
  error instanceof StartError && error.problems.some(({ message }) => message.includes(storeInUse));

/** The line about it for the author. */
export const storeInUseMessage = 'A gateway uses the store: the rows are imported once more, into memory';
