import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Answer } from '../../../http/message/route.ts';
import { once } from '../../../memoize.ts';
import { buildPage } from '../../static/page.ts';
import type { ReplyFile } from '../../static/static-file.ts';

/**
 * A page that shows the OpenAPI document to people. Anybody may load it: it contains nothing of the catalog, and requests
 * the document with the key that its user types. Its only script is in the page, and it loads nothing from other sites.
 */
export function buildReader(): Answer {
  const page = once(renderPage);
  return ({ headers }) => page()(headers);
}

function renderPage(): ReplyFile {
  const page = readFileSync(new URL('reader.html', import.meta.url), 'utf8');
  const allowed = [
    `script-src ${hashOf(page, 'script')}`,
    `style-src ${hashOf(page, 'style')}`,
    'img-src data:',
  ];
  return buildPage(page, allowed, 'private, no-cache');
}

/** The source expression of an element's text, in the words of Content Security Policy. */
function hashOf(page: string, name: string): string {
  const text = page.slice(page.indexOf(`<${name}>`) + name.length + 2, page.indexOf(`</${name}>`));
  return `'sha256-${hash('sha256', text, 'base64')}'`;
}
