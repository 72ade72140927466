import { globSync, readFileSync } from 'node:fs';
import { createRequire, stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { bundle } from './bundle.ts';

const source = join(import.meta.dirname, 'src');

/** Everything that the pages load. The chart library is loaded when there is a chart. */
export function pageFiles(): readonly { readonly name: string; readonly body: string }[] {
  const require = createRequire(import.meta.url);
  const library = (path: string) => readFileSync(require.resolve(`uplot/${path}`), 'utf8');
  return [
    { name: 'pages.js', body: bundle(readModules(), 'main.ts') },
    { name: 'mark.svg', body: readFileSync(join(source, 'mark.svg'), 'utf8') },
    {
      name: 'page.css',
      body: library('dist/uPlot.min.css') + readFileSync(join(source, 'page.css'), 'utf8'),
    },
    // The module that the library has is not minified, and almost twice as large.
    { name: 'uplot.js', body: `${library('dist/uPlot.iife.min.js')}\nexport default uPlot;\n` },
    { name: 'licences.txt', body: library('LICENSE') },
  ];
}

/** The modules without types, which browsers do not know. */
function readModules(): ReadonlyMap<string, string> {
  const paths = globSync('**/*.ts', { cwd: source });
  return new Map(
    paths.map((path) => [
      path.replaceAll('\\', '/'),
      stripTypeScriptTypes(readFileSync(join(source, path), 'utf8')),
    ]),
  );
}
