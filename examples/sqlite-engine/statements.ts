import { DatabaseSync, type SQLOutputValue } from 'node:sqlite';

export interface Question {
  readonly sql: string;
  readonly values: Readonly<Record<string, string | number | bigint | null>>;
  /** The most rows that are read. */
  readonly limit: number;
  /** Microseconds since the epoch. */
  readonly now: bigint;
}

export type Answer =
  | { readonly rows: readonly Readonly<Record<string, SQLOutputValue>>[] }
  | { readonly message: string };

const database = new DatabaseSync(process.argv[2] ?? '', { readOnly: true });
let now = 0n;
database.function('now', () => now);

process.on('message', (question: Question) => process.send?.(answer(question)));

function answer({ sql, values, limit, now: time }: Question): Answer {
  try {
    now = time;
    const statement = database.prepare(sql);
    statement.setReadBigInts(true);
    // A query need not use each of its parameters.
    statement.setAllowUnknownNamedParameters(true);
    return { rows: [...statement.iterate(values).take(limit)] };
  } catch (error) {
    return { message: error instanceof Error ? error.message : String(error) };
  }
}
