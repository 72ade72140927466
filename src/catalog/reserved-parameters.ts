import { sqlParameter } from './binding/caller-sql.ts';

/**
 * Names of parameters, in lower case, that no saved query may declare, each with what it means in every request. One that a
 * query declared would be taken for that.
 */
export const reservedParameters: ReadonlyMap<string, string> = new Map([
  ['format', 'the format of a REST response'],
  [sqlParameter, "a caller's own SQL (query_sandboxing)"],
]);
