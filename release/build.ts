import { spawnSync } from 'node:child_process';
import { cpSync, rmSync } from 'node:fs';

/**
 * Builds the package's code: `src/` as JavaScript in `dist/`, because Node strips no types below `node_modules`. Files that
 * are read at run time keep their places beside the modules that read them.
 */
rmSync('dist', { recursive: true, force: true });
const { status } = spawnSync('tsc', ['--project', 'tsconfig.build.json'], { stdio: 'inherit' });
if (status !== 0) process.exit(1);
const places = ['engine/dialect/macros/sql', 'plugins/openapi/reader/reader.html', 'plugins/pages/page.html'];
for (const place of places) {
  cpSync(`src/${place}`, `dist/${place}`, { recursive: true });
}
