import { columnName, type Outline, type TableRead } from '@querygate/bigquery-sql/sandbox';
import { z } from 'zod';
import type { ResultColumn } from '../../../catalog/model/header-types.ts';
import type { TextResult } from './messages.ts';

const count = z.int().nonnegative();

const isDistinct = (texts: readonly string[]): boolean => new Set(texts).size === texts.length;

/** That columns and predicates are those of the table is checked where its query is made. */
const tableRead = z.object({
  table: z.string(),
  columns: z.array(z.string()).refine(isDistinct),
  where: z.array(z.array(z.unknown()).max(200)).max(200),
  orderBy: z.array(z.object({ column: z.string(), descending: z.boolean(), nulls: z.string() })).max(200),
  limit: count.optional(),
});

const resultColumn: z.ZodType<{ readonly name: string }> = z.object({
  name: z.string(),
  type: z.string().optional(),
  repeated: z.boolean(),
  get fields() {
    return z.array(resultColumn).optional();
  },
});

const textResult = z.object({
  rowCount: count,
  truncated: z.boolean(),
  columns: z.array(resultColumn.refine(({ name }) => columnName.test(name))),
});

/** @throws Error if a process that need not be a sandbox any more has sent what no sandbox sends */
export function readReads(sent: unknown, { tables }: Outline): readonly TableRead[] {
  const names = tables.map(({ name }) => name);
  const reads = z.array(tableRead).max(names.length).parse(sent);
  const read = reads.map(({ table }) => table);
  if (!isDistinct(read) || !read.every((name) => names.includes(name)))
    throw new Error('a read of no common table, or two of one');
  return reads as readonly TableRead[];
}

/** @throws Error as `readReads` */
export function readResult(sent: unknown): TextResult {
  const { columns, ...others } = textResult.parse(sent);
  return { ...others, columns: columns as ResultColumn[] };
}
