import { existsSync, globSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type Plugin } from 'rolldown';

/**
 * The gateway and the programs that it starts, each as few files: to load a thousand modules takes a second of processor
 * time at each start. Vitest calls it before the tests that start processes, and what it returns after them.
 */
export default async function buildPrograms(): Promise<() => Promise<void>> {
  const folder = process.env.TEST_PROGRAMS;
  // Of several projects in one run the first makes them.
  if (folder === undefined || existsSync(folder)) return async () => {};
  await build({
    input: Object.fromEntries(['src/main.ts', ...started].map((file) => [nameOf(file), file])),
    platform: 'node',
    // They load files of their own.
    external: [/^(?:@duckdb|@google-cloud|@jitl|@opentelemetry)\//, 'pino', 'tldts'],
    resolve: { conditionNames: ['node', 'module-sync', 'import', 'default'] },
    plugins: [placesOfSources, programUrls(folder)],
    logLevel: 'warn',
    output: { dir: folder, entryFileNames: '[name].js' },
  });
  return () => rm(folder, { recursive: true, force: true });
}

/** Modules that run as programs or threads of their own. */
const started = globSync('src/**/{*-,}{program,worker}.ts', { exclude: ['src/cli/**'] });

/** With the folder of the module: tests find processes by it. */
const nameOf = (file: string): string => file.slice(0, -'.ts'.length);

const moduleUrl = resolve('src/files/module-url.ts');

/** Modules find the files beside them where the sources are. */
const placesOfSources: Plugin = {
  name: 'places of sources',
  transform: {
    filter: { id: { exclude: [/node_modules/, moduleUrl] }, code: /import\.meta\.(?:url|dirname)/ },
    handler: (code, id) =>
      code
        .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href))
        .replaceAll('import.meta.dirname', JSON.stringify(dirname(id))),
  },
};

/** What they start is one of these files. */
const programUrls = (folder: string): Plugin => ({
  name: 'program URLs',
  load: {
    filter: { id: moduleUrl },
    handler: () => {
      const urls = started.map((file) => [
        pathToFileURL(resolve(file)).href,
        pathToFileURL(join(folder, `${nameOf(file)}.js`)).href,
      ]);
      return `const urls = new Map(${JSON.stringify(urls)});
export const moduleUrl = (path, base) => new URL(urls.get(new URL(path + '.ts', base).href));`;
    },
  },
});
