import { decodeUtf8, NotUtf8 } from '@querygate/text';
import { hasFolders, innerFolders } from 'querygate/catalog';
import type { CatalogFiles, FileContent } from '../../catalog-types.ts';
import type { Repository } from './open-repository.ts';
import { type Git, gitError } from './run-git.ts';

/** As in a folder, where larger files are not read either. */
const maxFileBytes = 1024 * 1024;

/** How many bytes of files one call of git returns. */
const maxBatchBytes = 64 * 1024 * 1024;

/**
 * Reads the files of a queries folder as they were at a commit, without the work tree. Links are followed, as in a folder.
 *
 * @returns undefined if there was no such folder
 */
export function readAtCommit({ git, path }: Repository, commit: string): CatalogFiles | undefined {
  if (/[\r\n]/.test(path)) throw gitError('the path of the queries folder has a line break');
  const under = (name: string) => `${commit}:${path === '' ? name : `${path}/${name}`}`;
  const folders = [
    { prefix: '', ending: '.sql', isDeep: false, object: `${commit}:${path}` },
    ...Object.entries(innerFolders).map(([inner, ending]) => ({
      prefix: `${inner}/`,
      ending,
      isDeep: hasFolders(inner),
      object: under(inner),
    })),
  ];
  const found = describeObjects(
    git,
    folders.map(({ object }) => object),
  );
  if (found[0]?.type !== 'tree') return undefined;
  const entries = folders.flatMap(({ prefix, ending, isDeep }, at) => {
    const folder = found[at];
    return folder?.type === 'tree'
      ? namesIn(git, folder.id, ending, isDeep).map((entry) => ({ ...entry, name: prefix + entry.name }))
      : [];
  });
  const links = entries.filter(({ isLink, name }) => isLink && !hasLineBreak(name));
  const targets = describeObjects(
    git,
    links.map(({ name }) => under(name)),
  );
  const targetOf = new Map(links.map((link, at) => [link, targets[at]]));
  const objects = entries.map((entry): [string, GitObject | undefined] => [
    entry.name,
    entry.isLink ? targetOf.get(entry) : entry.object,
  ]);
  // A link to a folder is not a file.
  return contentsOf(
    git,
    objects.filter(([, object]) => object?.type !== 'tree'),
  );
}

interface GitObject {
  readonly id: string;
  readonly type: string;
  readonly bytes: number;
}

interface Entry {
  readonly name: string;
  readonly isLink: boolean;
  readonly object: GitObject;
}

/** A name with a line break would be two requests; no saved query may have it. */
const hasLineBreak = (name: string) => /[\r\n]/.test(name);

/** @param isDeep for those in folders inside too */
function namesIn(git: Git, tree: string, ending: string, isDeep: boolean): readonly Entry[] {
  const entries = git
    .run(['ls-tree', '--full-tree', '-z', '-l', ...(isDeep ? ['-r'] : []), tree])
    .toString()
    .split('\0');
  return entries
    .flatMap((entry): Entry[] => {
      const [, mode = '', type = '', id = '', bytes = '', name = ''] =
        /^(\d+) (\w+) ([\da-f]+) +(\d+|-)\t(.*)$/s.exec(entry) ?? [];
      if (type !== 'blob' || !name.endsWith(ending) || /(?:^|\/)\./.test(name)) return [];
      return [{ name, isLink: mode === '120000', object: { id, type, bytes: Number(bytes) } }];
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Describes objects; undefined for those that do not exist, and for links that lead nowhere. */
function describeObjects(git: Git, objects: readonly string[]): readonly (GitObject | undefined)[] {
  if (objects.length === 0) return [];
  const output = git.run(['cat-file', '--batch-check', '--follow-symlinks'], `${objects.join('\n')}\n`);
  let at = 0;
  const readLine = () => {
    const end = output.indexOf(10, at);
    const line = output.toString('utf8', at, end);
    at = end + 1;
    return line;
  };
  return objects.map(() => {
    const line = readLine();
    const [, id = '', type = '', bytes = ''] = /^([\da-f]{40,64}) (\w+) (\d+)$/.exec(line) ?? [];
    if (id !== '') return { id, type, bytes: Number(bytes) };
    // The target of a link that leads out of the repository, or nowhere, is on lines of its own.
    const [, length] = /^(?:symlink|dangling|loop|notdir) (\d+)$/.exec(line) ?? [];
    if (length !== undefined) at += Number(length) + 1;
    return undefined;
  });
}

function contentsOf(git: Git, objects: readonly (readonly [string, GitObject | undefined])[]): CatalogFiles {
  const contents = new Map<string, FileContent>();
  const readable: (readonly [string, GitObject])[] = [];
  for (const [name, object] of objects) {
    contents.set(name, { problem: 'was a link that leads nowhere in the repository' });
    if (object === undefined) continue;
    if (object.bytes > maxFileBytes)
      contents.set(name, { problem: `had ${object.bytes} bytes; at most ${maxFileBytes} are read` });
    else readable.push([name, object]);
  }
  for (const batch of inBatches(readable)) {
    const output = git.run(['cat-file', '--batch'], `${batch.map(([, { id }]) => id).join('\n')}\n`);
    let at = 0;
    for (const [name, { bytes }] of batch) {
      const start = output.indexOf(10, at) + 1;
      contents.set(name, contentOf(output.subarray(start, start + bytes)));
      at = start + bytes + 1;
    }
  }
  return contents;
}

function contentOf(bytes: Buffer): FileContent {
  try {
    return { text: decodeUtf8(bytes) };
  } catch (error) {
    if (error instanceof NotUtf8) return { problem: error.message, line: error.line };
    throw error;
  }
}

function inBatches<T extends readonly [string, GitObject]>(objects: readonly T[]): readonly T[][] {
  const batches: T[][] = [];
  let room = 0;
  for (const object of objects) {
    if (batches.length === 0 || room < object[1].bytes) {
      batches.push([]);
      room = maxBatchBytes;
    }
    batches.at(-1)?.push(object);
    room -= object[1].bytes;
  }
  return batches;
}
