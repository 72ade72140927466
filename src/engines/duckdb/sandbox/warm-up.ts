import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import type { Outline } from '@querygate/bigquery-sql/sandbox';
import { quoteText } from '@querygate/bigquery-sql/tree';
import { scalar } from '@querygate/bigquery-sql/types';
import type { TextRequest } from './messages.ts';

const columns = [
  { name: 'id', type: scalar('STRING') },
  { name: 'timestamp', type: scalar('TIMESTAMP') },
  { name: 'message', type: scalar('STRING') },
];

const outline: Outline = {
  names: { tables: ['logs'], parameters: [], functions: new Set() },
  parameters: [],
  tables: [
    {
      name: 'logs',
      columns: columns.map((column) => ({ ...column, column: column.name })),
      isValue: false,
      stored: columns,
      plain: new Set(columns.map(({ name }) => name)),
    },
  ],
};

/** As the pages of log viewers send them. */
const texts = [
  `select id, timestamp, message from logs where message like 'a%' order by timestamp desc limit 100`,
  `select timestamp_trunc(timestamp, minute) as timestamp, count(case when message = 'a' then 1 end) as n from logs
    where timestamp > '2026-01-01' group by timestamp order by timestamp`,
];

/** The outlines of saved queries have numbers from 0. */
const ownOutline = -1;

interface Runner {
  addOutline(id: number, outline: Outline): void;
  judge(request: TextRequest): {
    run(files: readonly string[], signal: AbortSignal): Promise<unknown>;
  };
}

interface WarmUpOptions {
  readonly folder: string;
  readonly signal: AbortSignal;
}

/** Runs texts over no rows: the first text of a caller would otherwise wait until V8 has compiled what runs it. */
export async function warmUp(
  runner: Runner,
  connection: DuckDBConnection,
  { folder, signal }: WarmUpOptions,
): Promise<void> {
  const file = join(folder, 'no-rows.parquet');
  const none = columns.map((_, at) => `'' AS c${at}`).join(', ');
  await connection.run(`COPY (SELECT ${none} LIMIT 0) TO ${quoteText(file)} (FORMAT parquet)`);
  runner.addOutline(ownOutline, outline);
  for (const sql of texts) {
    const request = { outline: ownOutline, sql, parameters: {}, known: {}, now: 0, maxRows: 1 };
    await runner.judge(request).run([file], signal);
  }
  rmSync(file);
}
