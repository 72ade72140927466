import { javascriptCalls } from '../../macros/javascript-function.ts';
import { callsMacroWith } from '../../macros/macros.ts';

const callsHostMacro = callsMacroWith((body) => body.includes('host_'));

/** True if a statement calls a function that this process computes. */
export const callsHost = (sql: string): boolean =>
  sql.includes(javascriptCalls.once) || (sql.includes('bq.') && callsHostMacro(sql));

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
