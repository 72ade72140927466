import { invalidSql } from '../../../../src/catalog/binding/caller-sql.ts';
import type { GatewayError } from '../../../../src/errors.ts';

/** The error for a caller's SQL, with the line and the column of its text, both from 1. */
export function callerProblem(sql: string, offset: number, message: string): GatewayError {
  const before = sql.slice(0, offset).split(/\r\n|\r|\n/);
  const column = (before.at(-1)?.length ?? 0) + 1;
  return invalidSql(`line ${before.length}, column ${column}: ${message}`);
}
