import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { afterAll } from 'vitest';
import { compileCache } from '../../src/process/compile-cache.ts';

export interface CommandLine {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** What a command has printed, and the exit code of its process. */
export interface CommandEnd {
  readonly exitCode: number;
  readonly output: string;
  readonly errors: string;
}

/**
 * Runs commands of `querygate` one after another in one process for all tests of a file: to start one for each takes a second
 * of processor time. Use `runQuerygate` for a command that serves, that writes its log, or whose process is what is tested.
 *
 * @param program the module of another command, whose `runProgram` runs it
 */
export function openCommandHost(
  program = 'src/cli/program.ts',
): (args: readonly string[], env?: CommandLine['env']) => Promise<CommandEnd> {
  let child: ChildProcess | undefined;
  let ended: Promise<unknown> | undefined;
  let last: Promise<unknown> = Promise.resolve();
  afterAll(() => child?.kill('SIGKILL'));
  const run = async (line: CommandLine): Promise<CommandEnd> => {
    child ??= fork('test/support/command-host-program.ts', [program], {
      execArgv: [],
      env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: compileCache() },
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    ended ??= once(child, 'exit');
    const answered = once(child, 'message');
    child.send(line);
    const failed = ended.then(() => {
      throw new Error(`the process has ended in: ${line.args.join(' ')}`);
    });
    const [end] = await Promise.race([answered, failed]);
    return end;
  };
  return (args, env = {}) => {
    // What is printed belongs to the command that runs.
    const end = last.then(() =>
      run({ args, env: { PATH: process.env.PATH, STORE_FILE: ':memory:', ...env } }),
    );
    last = end.catch(() => {});
    return end;
  };
}
