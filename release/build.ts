import { spawnSync } from 'node:child_process';
import { cpSync, rmSync } from 'node:fs';

/**
 * Builds the code of the packages, first those that others import: `src/` as JavaScript in `dist/`, because Node strips no
 * types below `node_modules`. Files that are read at run time keep their places beside the modules that read them.
 */
const builds = [
  { folder: 'packages/bigquery-sql', places: ['macros/sql'] },
  { folder: '.', places: ['plugins/pages/page.html'] },
];
for (const { folder, places } of builds) {
  rmSync(`${folder}/dist`, { recursive: true, force: true });
  const { status } = spawnSync('tsc', ['--project', `${folder}/tsconfig.build.json`], { stdio: 'inherit' });
  if (status !== 0) process.exit(1);
  for (const place of places)
    cpSync(`${folder}/src/${place}`, `${folder}/dist/${place}`, { recursive: true });
}
