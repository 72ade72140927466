import { ProblemError } from '../../src/problem.ts';
import type { DuckDBMaterializedResult } from '@duckdb/node-api';
import type { RelationColumn } from '../../src/rules/scope.ts';
import { columnTypeText } from '../../src/duckdb/column-types.ts';
import { readRows } from '../../src/duckdb/read-rows.ts';
import type { Answer } from '../values.ts';
import { decode } from './decode.ts';

/**
 * The rows of a query, or why it failed.
 *
 * @param columns as the compiler knows them, for an answer with types
 */
export async function answerOf(
  query: () => Promise<DuckDBMaterializedResult>,
  columns?: readonly RelationColumn[],
): Promise<Answer> {
  try {
    const result = await query();
    const types = result.columnTypes();
    return {
      columns: result.columnNames(),
      ...(columns && { types: types.map((type, at) => columnTypeText(type, columns[at]?.type)) }),
      rows: readRows(result).map((row) => row.map((value, at) => decode(value, types[at] ?? failType(at)))),
    };
  } catch (error) {
    return failure(error);
  }
}

function failType(at: number): never {
  throw new Error(`column ${at} has no type`);
}

export function failure(error: unknown): Answer {
  if (error instanceof ProblemError) {
    const messages = new Set(error.problems.map(({ message }) => message));
    return { error: [...messages].join('; '), stage: 'analysis' };
  }
  const message = error instanceof Error ? error.message : String(error);
  const isBroken = /^(Binder|Parser|Catalog|Internal|INTERNAL|Not implemented) Error/.test(message);
  return { error: message, stage: isBroken || !/^\w+( \w+)* Error/.test(message) ? 'broken' : 'evaluation' };
}
