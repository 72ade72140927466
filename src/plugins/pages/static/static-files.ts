import { createHash } from 'node:crypto';
import { GatewayError } from '../../../errors.ts';
import type { PluginRoute } from '../../../http/message/route.ts';
import { once } from '../../../memoize.ts';
import { type BodyCoding, buildReplyFile, mediaTypeOf, type ReplyFile } from './static-file.ts';

export interface StaticFile {
  /** Its path below the folder of the set; the extension gives its media type. */
  readonly name: string;
  readonly body: Buffer;
  /** `br` if the body is compressed already. */
  readonly coding?: BodyCoding;
}

/**
 * Files that a page loads, at `/assets/<set>/<hash>/<name>`. The hash is that of the whole set: the files refer to each
 * other by relative paths, a path never has another content, and browsers keep it without asking again.
 */
export interface StaticFiles {
  /** The path of a file. @throws Error for a name that the set does not have */
  readonly pathOf: (name: string) => string;
  /** For every path below `/assets/<set>/`; anybody may request it. */
  readonly route: PluginRoute;
}

const assetsPath = '/assets/';

/** A year, as much as RFC 9111 allows. */
const forever = 'public, max-age=31536000, immutable';

/** @param read gives the files when the first one is needed; it is called once */
export function buildStaticFiles(set: string, read: () => readonly StaticFile[]): StaticFiles {
  const open = once(() => openSet(set, read()));
  return {
    pathOf(name) {
      const { folder, files } = open();
      if (!files.has(name)) throw new Error(`${set} has no file ${name}`);
      return folder + name;
    },
    route: {
      path: `${assetsPath}${set}/**`,
      access: 'public',
      answer({ headers }, { url: { pathname } }) {
        const { folder, files } = open();
        const file = pathname.startsWith(folder) ? files.get(pathname.slice(folder.length)) : undefined;
        // A page that was loaded before an upgrade names the files of the older version.
        if (file === undefined) throw new GatewayError('NOT_FOUND', 'Not found; load the page again');
        return file(headers);
      },
      // The paths change with each version: the log has only the folder.
      loggedPath: () => assetsPath,
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
  const replies = files.map(({ name, body, coding }) => {
    const common = { 'content-type': mediaTypeOf(name), 'cache-control': forever };
    return [name, buildReplyFile(body, common, coding)] as const;
  });
  return {
    folder: `${assetsPath}${set}/${digest.digest('base64url').slice(0, 16)}/`,
    files: new Map(replies),
  };
}
