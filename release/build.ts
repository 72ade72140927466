import { spawnSync } from 'node:child_process';
import { cpSync, rmSync } from 'node:fs';
import { packages } from './packages.ts';

/**
 * Builds the code of the packages: `src/` as JavaScript in `dist/`, because Node strips no
 * types below `node_modules`. Files that are read at run time keep their places beside the modules that read them.
 */
for (const { folder, files, isPrebuilt } of packages) {
  if (isPrebuilt) continue;
  rmSync(`${folder}/dist`, { recursive: true, force: true });
  const { status } = spawnSync('node_modules/.bin/tsc', ['--project', `${folder}/tsconfig.build.json`], {
    // Those who pack read its standard error only, and tsc writes errors to standard output.
    stdio: ['inherit', 2, 2],
  });
  if (status !== 0) process.exit(1);
  for (const file of files) cpSync(`${folder}/src/${file}`, `${folder}/dist/${file}`, { recursive: true });
}
