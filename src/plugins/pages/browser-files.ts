import { globSync, readFileSync } from 'node:fs';
import { createRequire, stripTypeScriptTypes } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { StaticFile } from '../../http/static/static-files.ts';
import { bundle } from './bundle.ts';

const here = fileURLToPath(new URL('.', import.meta.url));

/** `.ts` in a checkout, `.js` in the package. */
const extension = import.meta.url.slice(import.meta.url.lastIndexOf('.'));

/** The modules of the pages, as one file. */
export const scriptName = 'pages.js';

/** Their styles, those of the chart library before them. */
export const styleName = 'page.css';

/** Everything that the pages load. The chart library is loaded when there is a chart. */
export function readBrowserFiles(): readonly StaticFile[] {
  const require = createRequire(import.meta.url);
  const library = (path: string) => readFileSync(require.resolve(`uplot/dist/${path}`));
  return [
    { name: scriptName, body: Buffer.from(bundle(readModules(), `main${extension}`)) },
    { name: 'mark.svg', body: readFileSync(`${here}mark.svg`) },
    { name: styleName, body: Buffer.concat([library('uPlot.min.css'), readFileSync(`${here}page.css`)]) },
    // The module that the library has is not minified, and almost twice as large.
    { name: 'uplot.js', body: Buffer.from(`${library('uPlot.iife.min.js')}\nexport default uPlot;\n`) },
  ];
}

function readModules(): ReadonlyMap<string, string> {
  const paths = globSync(`**/*${extension}`, { cwd: `${here}browser` });
  return new Map(paths.map((path) => [path.replaceAll('\\', '/'), readModule(`${here}browser/${path}`)]));
}

/** Browsers know no types. */
function readModule(file: string): string {
  const code = readFileSync(file, 'utf8');
  if (extension !== '.ts') return code;
  const { emitWarning } = process;
  // Node warns that the function is experimental; a package does not call it.
  process.emitWarning = () => {};
  try {
    return stripTypeScriptTypes(code);
  } finally {
    process.emitWarning = emitWarning;
  }
}
