import { macros, macrosIn } from '../../dialect/macros/macros.ts';

/** The macros that call a host function, directly or through others. */
const callers = new Set<string>();
for (let size = -1; size < callers.size; ) {
  size = callers.size;
  for (const [name, signatures] of macros) {
    const isCaller = signatures.some(
      ({ body }) => body.includes('host_') || macrosIn(body).some((called) => callers.has(called)),
    );
    if (isCaller) callers.add(name);
  }
}

/** Whether a statement calls a function that this process computes. */
export const callsHost = (sql: string): boolean =>
  sql.includes('bq.') && macrosIn(sql).some((name) => callers.has(name));

let running = 0;

/**
 * Runs a statement that calls host functions. If the process exits meanwhile, DuckDB's thread waits for a result that
 * the main thread will never compute, and Node waits for that thread: the process is killed instead of hanging.
 */
export async function runCallingHost<T>(run: () => Promise<T>): Promise<T> {
  if (running === 0) process.once('exit', kill);
  running += 1;
  try {
    return await run();
  } finally {
    running -= 1;
    if (running === 0) process.off('exit', kill);
  }
}

const kill = () => process.kill(process.pid, 'SIGKILL');
