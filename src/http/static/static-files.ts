import { createHash } from 'node:crypto';
import { GatewayError } from '../../errors.ts';
import { assetsPath } from '../message/paths.ts';
import type { Reply } from '../message/reply.ts';
import type { Answer, PluginRoute } from '../message/route.ts';
import { type BodyCoding, buildReplyFile, mediaTypeOf, type ReplyFile } from './static-file.ts';

export interface StaticFile {
  /** Its path below the folder of the set; the extension gives its media type. */
  readonly name: string;
  readonly body: Buffer;
  /** `br` if the body is compressed already. */
  readonly coding?: BodyCoding;
  /** Further headers, for example the policy of a worker. */
  readonly headers?: Reply['headers'];
}

/**
 * Files that a page loads, at `/assets/<set>/<hash>/<name>`. The hash is that of the whole set: the files refer to each
 * other by relative paths, a path never has another content, and browsers keep it without asking again.
 */
export interface StaticFiles {
  /** The path of a file. @throws Error for a name that the set does not have */
  readonly pathOf: (name: string) => string;
  /** Answers for every path below `/assets/<set>/`; anybody may request it. */
  readonly answer: Answer;
}

/** A year, as much as RFC 9111 allows. */
const forever = 'public, max-age=31536000, immutable';

/** @param read gives the files when the first one is needed; it is called once */
export function buildStaticFiles(set: string, read: () => readonly StaticFile[]): StaticFiles {
  let opened: Opened | undefined;
  const open = () => {
    opened ??= openSet(set, read());
    return opened;
  };
  return {
    pathOf(name) {
      const { folder, files } = open();
      if (!files.has(name)) throw new Error(`${set} has no file ${name}`);
      return folder + name;
    },
    answer({ headers }, { url: { pathname } }) {
      const { folder, files } = open();
      const file = pathname.startsWith(folder) ? files.get(pathname.slice(folder.length)) : undefined;
      // A page that was loaded before an upgrade names the files of the older version.
      if (file === undefined) throw new GatewayError('NOT_FOUND', 'Not found; load the page again');
      return file(headers);
    },
  };
}

interface Opened {
  readonly folder: string;
  readonly files: ReadonlyMap<string, ReplyFile>;
}

function openSet(set: string, files: readonly StaticFile[]): Opened {
  const digest = createHash('sha256');
  for (const { name, body } of files) digest.update(`${name}\0${body.byteLength}\0`).update(body);
  const replies = files.map(({ name, body, coding, headers }) => {
    const common = { 'content-type': mediaTypeOf(name), 'cache-control': forever, ...headers };
    return [name, buildReplyFile(body, common, coding)] as const;
  });
  return {
    folder: `${assetsPath}${set}/${digest.digest('base64url').slice(0, 16)}/`,
    files: new Map(replies),
  };
}

/** The route of a set of files. Their paths change with each version: the log has only the folder. */
export const assetsRoute = (set: string, answer: Answer): PluginRoute => ({
  path: `${assetsPath}${set}/**`,
  access: 'public',
  answer,
  loggedPath: () => assetsPath,
});
