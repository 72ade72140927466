import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pageFiles } from './page-files.ts';

/** Writes the files of the pages, which are committed: the gateway serves them as they are. */
const folder = join(import.meta.dirname, 'built/pages');

rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
for (const { name, body } of pageFiles()) writeFileSync(join(folder, name), body);
