import type { Case } from './cases.ts';
import type { Source } from './hand-written-sql.ts';
import { type Limits, openDatabase } from './limits.ts';

/** The hand-written SQL over one database. */
export interface HandWritten {
  /** Prepares all forms of a query, each to be run many times. */
  prepare(benchCase: Case): Promise<readonly Form[]>;
  rowsInWindow(benchCase: Case): Promise<number>;
  interrupt(): void;
  close(): void;
}

export interface Form {
  readonly form: string;
  run(): Promise<readonly string[]>;
}

/** Opens a database of its own. */
export async function openHandWritten(file: string, limits: Limits, source: Source): Promise<HandWritten> {
  const database = await openDatabase(file, limits);
  const connection = await database.connect();
  return {
    prepare: (benchCase) =>
      Promise.all(
        benchCase.buildQueries(source).map(async ({ form, sql }) => {
          const statement = await connection.prepare(sql);
          return {
            form,
            async run() {
              statement.bind({ ...benchCase.values });
              return (await statement.runAndReadAll()).getRows().map(([row]) => String(row));
            },
          };
        }),
      ),
    async rowsInWindow({ table, window }) {
      const counted = await connection.runAndReadAll(
        `SELECT count(*) FROM ${table} WHERE timestamp >= $since::TIMESTAMP AND timestamp <= $until::TIMESTAMP`,
        { ...window },
      );
      return Number(counted.getRows()[0]?.[0]);
    },
    interrupt: () => connection.interrupt(),
    close: () => database.close(),
  };
}
