import { globSync, readFileSync } from 'node:fs';
import { createRequire, stripTypeScriptTypes } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { StaticFile } from '../static/static-files.ts';

const here = fileURLToPath(new URL('.', import.meta.url));

/** `.ts` in a checkout, `.js` in the package. */
const extension = import.meta.url.slice(import.meta.url.lastIndexOf('.'));

/** The first module of the pages, which imports the others. */
export const mainModule = `main${extension}`;

/** The chart library, which is loaded when there is a chart. */
const libraries = {
  'uplot.js': 'uplot/dist/uPlot.esm.js',
  'uplot.css': 'uplot/dist/uPlot.min.css',
};

/** Everything that the pages load: their modules, styles and the chart library. */
export function readBrowserFiles(): readonly StaticFile[] {
  const require = createRequire(import.meta.url);
  return [
    ...globSync(`**/*${extension}`, { cwd: `${here}browser` })
      .sort()
      .map((path) => ({ name: path.replaceAll('\\', '/'), body: readModule(`${here}browser/${path}`) })),
    ...['page.css', 'mark.svg'].map((name) => ({ name, body: readFileSync(here + name) })),
    ...Object.entries(libraries).map(([name, path]) => ({ name, body: readFileSync(require.resolve(path)) })),
  ];
}

/** Browsers know no types. */
function readModule(file: string): Buffer {
  if (extension !== '.ts') return readFileSync(file);
  const { emitWarning } = process;
  // Node warns that the function is experimental; a package does not call it.
  process.emitWarning = () => {};
  try {
    return Buffer.from(stripTypeScriptTypes(readFileSync(file, 'utf8')));
  } finally {
    process.emitWarning = emitWarning;
  }
}
