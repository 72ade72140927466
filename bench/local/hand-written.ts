import type { Case } from './cases.ts';
import { type Limits, openDatabase } from './limits.ts';
import type { Source } from './questions.ts';

/** The hand-written side: the forms of a question, prepared and bound once, each ready to be run again and again. */
export interface HandWritten {
  prepare(asked: Case): Promise<readonly Form[]>;
  rowsInWindow(asked: Case): Promise<number>;
  interrupt(): void;
  close(): void;
}

export interface Form {
  readonly form: string;
  run(): Promise<readonly string[]>;
}

/** On a connection and in a database of its own. */
export async function openHandWritten(file: string, limits: Limits, source: Source): Promise<HandWritten> {
  const database = await openDatabase(file, limits);
  const connection = await database.connect();
  return {
    prepare: (asked) =>
      Promise.all(
        asked.write(source).map(async ({ form, sql }) => {
          const statement = await connection.prepare(sql);
          return {
            form,
            async run() {
              statement.bind({ ...asked.values });
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
