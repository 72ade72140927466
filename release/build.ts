import { spawnSync } from 'node:child_process';
import { cpSync, rmSync } from 'node:fs';

/**
 * Builds the package's code: `src/` as JavaScript in `dist/`, because Node strips no types below `node_modules`. Files that
 * are read at run time keep their places beside the modules that read them.
 */
rmSync('dist', { recursive: true, force: true });
for (const project of ['tsconfig.build.json', 'src/plugins/pages/browser/tsconfig.build.json']) {
  const { status } = spawnSync('tsc', ['--project', project], { stdio: 'inherit' });
  if (status !== 0) process.exit(1);
}
const places = [
  'engine/dialect/macros/sql',
  'plugins/graphiql/built',
  'plugins/openapi/reader/reader.html',
  ...['page.html', 'page.css', 'mark.svg'].map((name) => `plugins/pages/${name}`),
];
for (const place of places) {
  cpSync(`src/${place}`, `dist/${place}`, { recursive: true });
}
