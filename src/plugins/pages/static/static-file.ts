import { hash } from 'node:crypto';
import { extname } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, brotliDecompress, constants, gzip } from 'node:zlib';
import { bestCoding } from '../../../http/message/content-coding.ts';
import type { RequestHead } from '../../../http/message/head.ts';
import type { Reply } from '../../../http/message/reply.ts';

/** Replies with a file in the coding that the caller prefers. */
export type ReplyFile = (headers: RequestHead['headers']) => Promise<Reply>;

/** Content codings in order of preference. */
const codings = ['br', 'gzip', 'identity'] as const;

type Coding = (typeof codings)[number];

export type BodyCoding = Extract<Coding, 'br' | 'identity'>;

/**
 * A file that is sent again and again: compressed once, when it is first requested, and off the event loop.
 *
 * @param headers of every response, `content-type` and `cache-control` among them; `etag`, `vary` and those of the coding
 * are added
 * @param bodyCoding `br` if the body is compressed already
 */
export function buildReplyFile(
  body: Buffer,
  headers: Reply['headers'],
  bodyCoding: BodyCoding = 'identity',
): ReplyFile {
  // Weak: the same text has several codings.
  const common = {
    ...headers,
    etag: `W/"${hash('sha256', body, 'base64url')}"`,
    vary: [headers.vary, 'Accept-Encoding'].filter(Boolean).join(', '),
  };
  const available = isText(headers['content-type'] ?? '') ? codings : (['identity'] as const);
  const replies = new Map<Coding, Promise<Reply>>();
  return ({ 'accept-encoding': accepted = '' }) => {
    const coding = bestCoding(available, accepted);
    let reply = replies.get(coding);
    if (reply === undefined) {
      reply = encode(body, bodyCoding, coding).then((encoded) => ({
        status: 200,
        headers: {
          ...common,
          'content-length': String(encoded.byteLength),
          ...(coding === 'identity' ? {} : { 'content-encoding': coding }),
        },
        body: encoded,
      }));
      replies.set(coding, reply);
      reply.catch(() => replies.delete(coding));
    }
    return reply;
  };
}

/** The media type of a file by its name. @throws Error for an unknown kind of file */
export function mediaTypeOf(name: string): string {
  const type = mediaTypes[extname(name)];
  if (type === undefined) throw new Error(`${name}: its media type is not known`);
  return type;
}

const javascript = 'text/javascript; charset=utf-8';

const mediaTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': javascript,
  '.mjs': javascript,
  // Sent without its types.
  '.ts': javascript,
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.ttf': 'font/ttf',
  '.woff2': 'font/woff2',
  '.png': 'image/png',
};

const isText = (mediaType: string) => /^(?:text\/|application\/json|image\/svg|font\/ttf)/.test(mediaType);

/** The highest quality takes seconds for megabytes, and saves little there. */
const maxBestQualityBytes = 500_000;

async function encode(body: Buffer, from: BodyCoding, to: Coding): Promise<Buffer> {
  if (from === to) return body;
  return compress[to](from === 'br' ? await promisify(brotliDecompress)(body) : body);
}

const compress: Readonly<Record<Coding, (body: Buffer) => Promise<Buffer>>> = {
  br: (body) =>
    promisify(brotliCompress)(body, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: body.byteLength > maxBestQualityBytes ? 9 : 11,
        [constants.BROTLI_PARAM_SIZE_HINT]: body.byteLength,
      },
    }),
  gzip: (body) => promisify(gzip)(body, { level: 9 }),
  identity: async (body) => body,
};
