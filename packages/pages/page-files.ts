import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'rolldown';

const source = join(import.meta.dirname, 'src');

export interface PageFile {
  readonly name: string;
  readonly body: string;
}

/** Everything that the pages load: one script, because a browser requests files in turns over HTTP/1.1. */
export async function pageFiles(): Promise<readonly PageFile[]> {
  const read = (name: string) => readFileSync(join(source, name), 'utf8');
  return [
    { name: 'pages.js', body: await script() },
    { name: 'mark.svg', body: read('mark.svg') },
    { name: 'page.css', body: read('site.css') + read('page.css') + read('sql/sql.css') },
    { name: 'licences.txt', body: licences() },
  ];
}

async function script(): Promise<string> {
  const { output } = await build({
    input: join(source, 'main.ts'),
    platform: 'browser',
    write: false,
    output: { minify: true, comments: false },
  });
  const [{ code }] = output;
  return code;
}

/** Of the packages whose code is in the script. */
function licences(): string {
  const texts = ['d3-array', 'd3-time', 'internmap'].map((name) => {
    const folder = join(import.meta.dirname, '../../node_modules', name);
    return `${name}\n\n${readFileSync(join(folder, 'LICENSE'), 'utf8')}`;
  });
  return texts.join('\n');
}
