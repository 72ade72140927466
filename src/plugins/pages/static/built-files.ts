import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { buildStaticFiles, type StaticFile, type StaticFiles } from './static-files.ts';

/** A set of files that the package of pages has built for browsers: those of saved queries, and GraphiQL. */
export type BuiltSet = 'pages' | 'graphiql';

const { resolve } = createRequire(import.meta.url);

/** Where a file of a set is. */
export const builtFile = (set: BuiltSet, name: string): string => resolve(`@querygate/pages/${set}/${name}`);

/** The files of a set, for browsers. */
export const openBuiltFiles = (set: BuiltSet): StaticFiles => buildStaticFiles(set, () => readFiles(set));

/**
 * Reads the files that browsers load. Those of GraphiQL are compressed, because that takes seconds of processor time.
 */
function readFiles(set: BuiltSet): readonly StaticFile[] {
  const folder = dirname(builtFile(set, 'licences.txt'));
  const names = readdirSync(folder).filter((name) => !/\.(?:txt|json)$/.test(name));
  return names.sort().map((name) => {
    const body = readFileSync(join(folder, name));
    return name.endsWith('.br') ? { name: name.slice(0, -'.br'.length), body, coding: 'br' } : { name, body };
  });
}
