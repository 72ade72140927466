import { realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { type Git, gitError, openGit } from './run-git.ts';

export interface Repository {
  readonly git: Git;
  /** The path of the folder in the repository, with slashes; empty if it is the top. */
  readonly path: string;
}

/**
 * The git repository of a folder.
 *
 * @throws ProblemError if the folder is not in a work tree, or there is no git
 */
export function openRepository(folder: string): Repository {
  for (const usesVariables of process.env.GIT_DIR === undefined ? [false] : [false, true]) {
    const git = openGit({ cwd: usesVariables ? process.cwd() : folder, usesVariables });
    const top = git.attempt(['rev-parse', '--show-toplevel']);
    const path = top === undefined ? undefined : pathIn(top, folder);
    if (path !== undefined) return { git, path };
  }
  const git = openGit({ cwd: folder, usesVariables: false });
  // If git refuses the folder, this call fails with its reason: there is no repository, or its owner is another user.
  git.run(['rev-parse', '--show-toplevel']);
  throw gitError(`${folder} is not in the work tree of a git repository`);
}

/** A link in the repository counts by its own name: at another commit it may lead elsewhere. */
function pathIn(top: string, folder: string): string | undefined {
  const named = resolve(folder);
  const places = [join(realpathSync(dirname(named)), basename(named)), realpathSync(named)];
  return places
    .map((place) => relative(realpathSync(top), place))
    .find((path) => !isAbsolute(path) && path !== '..' && !path.startsWith(`..${sep}`))
    ?.replaceAll(sep, '/');
}

/**
 * The commit that a ref names. `main...` is where HEAD left main.
 *
 * @throws ProblemError if there is no such commit
 */
export function resolveRef({ git }: Repository, ref: string): string {
  const [, base] = /^(.+)\.\.\.(?:HEAD)?$/s.exec(ref) ?? [];
  const name = base ?? ref;
  // A name that begins with - would be an option of git, and a line break a second request.
  if (name === '' || name.startsWith('-') || /[\0\r\n]/.test(name))
    throw gitError(`${JSON.stringify(ref)} is not a name of a commit, branch or tag`);
  if (name.includes('..'))
    throw gitError(
      `${JSON.stringify(ref)} is a range; give one commit, branch or tag, or main... for where HEAD left it`,
    );
  const commit = git.attempt(['rev-parse', '--verify', '--quiet', `${name}^{commit}`]);
  if (commit === undefined)
    throw gitError(`git knows no commit, branch or tag ${JSON.stringify(name)}${shallowHint(git)}`);
  if (base === undefined) return commit;
  const fork = git.attempt(['merge-base', commit, 'HEAD']);
  if (fork === undefined) throw gitError(`${name} and HEAD have no common commit${shallowHint(git)}`);
  return fork;
}

function shallowHint(git: Git): string {
  return git.attempt(['rev-parse', '--is-shallow-repository']) === 'true'
    ? '; this clone has only the newest commits: fetch the others (git fetch --unshallow; fetch-depth: 0 in actions/checkout)'
    : '';
}
