import { spawnSync } from 'node:child_process';
import { ProblemError } from '@querygate/bigquery-sql/problem';

/** Runs git in one folder. */
export interface Git {
  /** @returns the line that git prints; undefined if it prints none, or exits with another code than 0 */
  attempt(args: readonly string[]): string | undefined;
  /** @returns standard output @throws ProblemError with what git says */
  run(args: readonly string[], input?: string): Buffer;
}

/** The answer of one call is held in memory. */
const maxOutputBytes = 256 * 1024 * 1024;

/** Set by git for its hooks: they would make another folder the top of the work tree. */
const hookVariables = ['GIT_DIR', 'GIT_WORK_TREE', 'GIT_INDEX_FILE', 'GIT_PREFIX', 'GIT_COMMON_DIR'];

interface GitOptions {
  readonly cwd: string;
  /** True if variables of the environment name the repository. */
  readonly usesVariables: boolean;
}

export function openGit({ cwd, usesVariables }: GitOptions): Git {
  // Messages are compared and shown in English. A remote that needs a password is not waited for.
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    LC_ALL: 'C',
    GIT_TERMINAL_PROMPT: '0',
    GIT_OPTIONAL_LOCKS: '0',
  };
  if (!usesVariables) for (const name of hookVariables) delete env[name];
  const call = (args: readonly string[], input?: string) => {
    const result = spawnSync('git', args, { cwd, env, input: input ?? '', maxBuffer: maxOutputBytes });
    if ((result.error as NodeJS.ErrnoException | undefined)?.code === 'ENOENT')
      throw gitError('git is not installed, or not found in PATH');
    return result;
  };
  return {
    attempt(args) {
      const { status, stdout } = call(args);
      return status === 0 ? stdout.toString().replace(/\n$/, '') || undefined : undefined;
    },
    run(args, input) {
      const { status, stdout, stderr, error } = call(args, input);
      if (status === 0) return stdout;
      const [first = '', ...others] = stderr.toString().split('\n');
      const what = first.replace(/^fatal: /, '') || error?.message || `exit code ${status}`;
      // For a repository of another user, as in containers, git says how to trust it.
      const advice = others.find((line) => line.includes('git config --global --add safe.directory'));
      throw gitError(`git: ${what}${advice === undefined ? '' : `; ${advice.trim()} trusts it`}`);
    },
  };
}

export const gitError = (message: string): ProblemError =>
  new ProblemError('The saved queries cannot be compared', [{ message }]);
