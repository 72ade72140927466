import { fileURLToPath } from 'node:url';

/** The folder of the package: of this repository, or of the installed package, whose `dist/` has the place of `src/`. */
const packageFolder = new URL('../', import.meta.url);

/** The saved queries, tables and data of the demo, which are part of the package. */
export const demoQueriesDir = fileURLToPath(new URL('queries', packageFolder));

/** The JSON Schema of the header of saved queries, which is part of the package. */
export const headerSchemaFile = fileURLToPath(new URL('schemas/saved-query.schema.json', packageFolder));

/** The file with which this process was started again: `src/main.ts`, or `dist/main.js` of the package. */
export const mainFile = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? './main.ts' : './main.js', import.meta.url),
);
