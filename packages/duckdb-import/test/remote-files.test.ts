import type { DuckDBConnection } from '@duckdb/node-api';
import { describe, expect, test } from 'vitest';
import { findFiles } from '../src/scan/remote-files.ts';
import { logs } from './import-folder.ts';

const bucket = 's3://bucket/data';
const names = [
  ...['logs/a.parquet', 'logs/b?c.parquet', 'logs/notes.txt', 'logs/_temporary/d.parquet'],
  'others/e.parquet',
];
const parameters = 'IO Error: Invalid query parameters found. Supported parameters are:';
const removed =
  "HTTP Error: HTTP GET error reading 's3://bucket/data/logs/a.parquet' in region 'eu' (HTTP 404 Not Found)";

/** Finds the files of a bucket whose statements fail with these errors, and its statements; the first lists all files. */
async function findOf(...errors: readonly (string | undefined)[]) {
  const statements: string[] = [];
  const isList = (sql: string) => sql.startsWith('FROM glob');
  const connection = {
    runAndReadAll: async (sql: string) => {
      const error = isList(sql) ? undefined : errors[statements.filter((one) => !isList(one)).length];
      statements.push(sql);
      if (error !== undefined) throw new Error(error);
      const rows = isList(sql) ? names.map((name) => [`${bucket}/${name}`]) : [];
      return { getRowsJS: () => rows };
    },
  } as unknown as DuckDBConnection;
  const found = await findFiles(connection, bucket, [logs]).catch((error: unknown) => String(error));
  return { found, statements };
}

describe('of a bucket in which a name has a ?', () => {
  test('only data files of tables are examined one by one', async () => {
    const { found, statements } = await findOf(parameters);
    expect(statements[2]).toContain("read_blob(['s3://bucket/data/logs/a.parquet'])");
    expect(found).toMatchObject({ others: ['others'] });
    expect(typeof found === 'string' ? [] : found.tables.get('logs')?.unread).toMatchObject([
      { name: 'logs/b?c.parquet' },
    ]);
  });

  test('a file that is removed before it is examined is no error', async () => {
    const { found, statements } = await findOf(parameters, removed);
    expect(found).toMatchObject({ others: ['others'] });
    expect(statements).toHaveLength(5);
    expect((await findOf(parameters, removed, removed)).found).toContain('404');
  });
});

test.each(['HTTP Error: Request returned HTTP 403 for HTTP GET', 'HTTP Error: Timeout was reached'])(
  'a bucket that cannot be listed is not listed again: %s',
  async (error) => {
    const { found, statements } = await findOf(error);
    expect(found).toBe(`Error: ${error}`);
    expect(statements).toHaveLength(1);
    const { statements: later } = await findOf(parameters, error);
    expect(later).toHaveLength(3);
  },
);
