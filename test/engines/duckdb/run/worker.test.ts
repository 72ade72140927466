import { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openWorker, type Worker } from '../../../../src/engines/duckdb/run/worker.ts';

let instance: DuckDBInstance;
let connection: DuckDBConnection;
let worker: Worker;

beforeEach(async () => {
  instance = await DuckDBInstance.create(':memory:', { threads: '1' });
  connection = await instance.connect();
  worker = openWorker(connection, new Map());
});
afterEach(() => {
  vi.restoreAllMocks();
  connection.closeSync();
  instance.closeSync();
});

/** DuckDB does so with a statement that ends just when it is interrupted. */
function interruptAfter(sql: string): void {
  const { prepare } = DuckDBConnection.prototype;
  vi.spyOn(connection, 'prepare').mockImplementation(async (text) => {
    const statement = await prepare.call(connection, text);
    if (text !== sql) return statement;
    const run = statement.run.bind(statement);
    statement.run = () => run().then(() => Promise.reject(new Error('INTERRUPT Error: Interrupted!')));
    return statement;
  });
}

test.each(['BEGIN', 'COMMIT'])('%s is interrupted when it is done: the worker goes on', async (sql) => {
  interruptAfter(sql);
  const transaction = async () => {
    await worker.beginSnapshot();
    await worker.commit();
  };
  await expect(transaction()).rejects.toThrow('INTERRUPT');
  await worker.release();
  // It would be an error within a transaction.
  await connection.run('BEGIN');
  await connection.run('COMMIT');
  await worker.run('SELECT 1', new Map());
  await worker.release();
});
