import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pageFiles } from './page-files.ts';

/** Writes the files of the pages, which are committed: the gateway serves them as they are. */
const folder = join(import.meta.dirname, 'built/pages');

const files = await pageFiles();
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
for (const { name, body } of files) writeFileSync(join(folder, name), body);
