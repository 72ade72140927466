import { readFileSync } from 'node:fs';
import { isFromLoopback } from '../access/loopback.ts';
import { graphqlPath, readerPath } from '../message/paths.ts';
import type { Answer } from '../message/route.ts';
import { readBuiltFiles } from '../static/built-files.ts';
import { buildReplyFile, type ReplyFile } from '../static/static-file.ts';
import { buildStaticFiles } from '../static/static-files.ts';

export interface Pages {
  /** The same document for every page: its script reads the address. It contains nothing of the catalog. */
  readonly page: Answer;
  /** What it loads. */
  readonly assets: Answer;
}

interface PagesOptions {
  /** Filled in for browsers on this machine; undefined: all users type a key. */
  readonly apiKey: string | undefined;
  /** Whether the pages link to GraphiQL. */
  readonly graphiql: boolean;
}

/** The name of the pages' set of files. */
export const pagesSet = 'pages';

export function buildPages({ apiKey, graphiql }: PagesOptions): Pages {
  const assets = buildStaticFiles(pagesSet, () => readBuiltFiles('pages'));
  const render = (key: string | undefined): ReplyFile => {
    const head = [
      `<link rel="icon" href="${assets.pathOf('mark.svg')}">`,
      `<link rel="stylesheet" href="${assets.pathOf('page.css')}">`,
      `<script type="module" src="${assets.pathOf('pages.js')}"></script>`,
      ...(key === undefined ? [] : [`<meta name="querygate-key" content="${escapeAttribute(key)}">`]),
    ];
    const links = [
      `<a href="${readerPath}">OpenAPI</a>`,
      ...(graphiql ? [`<a href="${graphqlPath}">GraphiQL</a>`] : []),
    ];
    const html = readFileSync(new URL('page.html', import.meta.url), 'utf8')
      .replace('<!--assets-->', () => head.join('\n'))
      .replace('<!--links-->', links.join(' '));
    return buildReplyFile(Buffer.from(html), {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policy,
      // Programs get 404 at these addresses.
      vary: 'Accept',
      'cache-control': key === undefined ? 'private, no-cache' : 'no-store',
    });
  };
  let local: ReplyFile | undefined;
  let remote: ReplyFile | undefined;
  return {
    page(head, { url }) {
      if (apiKey !== undefined && isFromLoopback(url, head)) {
        local ??= render(apiKey);
        return local(head.headers);
      }
      remote ??= render(undefined);
      return remote(head.headers);
    },
    assets: assets.answer,
  };
}

/** The pages run their own scripts, send requests to this service, and never make markup of a text. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

const escapeAttribute = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
