import { hash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import { type BuildOptions, build, type Metafile } from 'esbuild';

/**
 * Builds the files of the GraphiQL page, which are committed: the gateway runs from its sources, without these packages
 * and without a build. The gateway puts a hash of all files into their paths.
 */
const outdir = join(import.meta.dirname, '../built/graphiql');

const common = {
  absWorkingDir: import.meta.dirname,
  outdir,
  bundle: true,
  minify: true,
  target: 'es2022',
  define: { 'process.env.NODE_ENV': '"production"' },
  legalComments: 'none',
  logLevel: 'warning',
} as const;

/** The scripts that the page's script imports, directly or through others: a browser may request all of them at once. */
function importsOf({ outputs }: Metafile, entry: string): readonly string[] {
  const found = new Set<string>();
  const add = (path: string) => {
    for (const { path: imported, kind } of outputs[path]?.imports ?? []) {
      if (kind !== 'import-statement' || found.has(imported)) continue;
      found.add(imported);
      add(imported);
    }
  };
  add(Object.keys(outputs).find((path) => basename(path) === entry) ?? '');
  return [...found].map((path) => basename(path)).sort();
}

/** The licences of the packages whose code is in the files, which must come with it. */
function licencesOf(metafiles: readonly Metafile[]): string {
  const inputs = metafiles.flatMap(({ inputs }) => Object.keys(inputs));
  const folders = inputs.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []);
  const texts = [...new Set(folders)].sort().map((folder) => {
    const path = join(import.meta.dirname, folder);
    const { name, version, license } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'));
    const file = readdirSync(path).find((one) => /^licen[cs]e/i.test(one));
    const text = file === undefined ? '' : readFileSync(join(path, file), 'utf8').replaceAll('\r', '').trim();
    return `${name} ${version}, ${license}\n\n${text}\n`;
  });
  return texts.join(`\n${'-'.repeat(80)}\n\n`);
}

/** Builds, and writes the files compressed, as browsers get them. @returns which scripts import which */
async function write(options: BuildOptions): Promise<Metafile> {
  const { outputFiles = [], metafile } = await build({ ...common, ...options, metafile: true, write: false });
  for (const { path, contents } of outputFiles) {
    // Styles of scripts that are imported later: the page's own style sheet has them.
    if (/chunk-\w+\.css$/.test(path)) continue;
    const params = {
      [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
      [constants.BROTLI_PARAM_SIZE_HINT]: contents.byteLength,
    };
    writeFileSync(`${path}.br`, brotliCompressSync(contents, { params }));
  }
  return metafile ?? { inputs: {}, outputs: {} };
}

rmSync(outdir, { recursive: true, force: true });
mkdirSync(outdir, { recursive: true });
const page = await write({
  entryPoints: { graphiql: 'src/main.tsx' },
  format: 'esm',
  splitting: true,
  chunkNames: 'chunk-[hash]',
  assetNames: '[name]',
  loader: { '.ttf': 'file' },
  // GraphiQL imports names that the older files, which are no modules, do not have in a bundle: nothing would be formatted.
  alias: {
    'prettier/parser-babel': 'prettier/plugins/babel',
    'prettier/parser-graphql': 'prettier/plugins/graphql',
  },
  jsx: 'automatic',
});
// Each worker is one file: it has the policy of its own response, under which it can load nothing.
const workers = await write({
  entryPoints: {
    'editor.worker': 'monaco-editor/esm/vs/editor/editor.worker.js',
    'json.worker': 'monaco-editor/esm/vs/language/json/json.worker.js',
    'graphql.worker': 'monaco-graphql/esm/graphql.worker.js',
  },
  format: 'iife',
});
writeFileSync(join(outdir, 'licences.txt'), licencesOf([page, workers]));
writeFileSync(join(outdir, 'preload.json'), `${JSON.stringify(importsOf(page, 'graphiql.js'), null, 2)}\n`);
writeDigests(
  [page, workers].flatMap(({ inputs }) =>
    Object.keys(inputs).filter((path) => !path.includes('node_modules')),
  ),
);

/** What a test compares, so that CI builds only each night: of all sources, and of all that is built, as `sha256sum` prints them. */
function writeDigests(sources: readonly string[]): void {
  const built = readdirSync(outdir).map((name) => `../built/graphiql/${name}`);
  const lines = ['build.ts', 'package-lock.json', ...sources, ...built].sort().map((path) => {
    const digest = hash('sha256', readFileSync(join(import.meta.dirname, path)));
    return `${digest}  ${path}\n`;
  });
  writeFileSync(join(import.meta.dirname, 'digests.txt'), lines.join(''));
}
