import { globSync, readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { describe, expect, test } from 'vitest';
import { entryFiles } from '../release/exports.ts';
import { circleIn, foldersOf, readImports, subfoldersOf, waysBack } from './support/import-graph.ts';
import { orders } from './support/import-orders.ts';
import { privateNames } from './support/private-names.ts';

/** Folders whose parts may import each other; their files still may not. */
const knots = [
  // The rules of expressions and of queries contain each other, as in every compiler; they meet through `Context`.
  'packages/bigquery-sql/src/rules',
];

/** Small files with one user: what is imported by a name or on demand, and one of several of a kind. */
const contracts =
  /^(?:src\/(?:exports|formats|author\/types)|packages\/(?:bigquery-sql\/src\/passes|text\/src))\//;

const files = globSync(['src/**/*.ts', 'packages/*/src/**/*.ts']).sort();

const imports = readImports(files);

const packageFolders = globSync('packages/*');

const ordered = foldersOf(imports).filter((folder) => !knots.includes(folder));

/** The folder with a package's source, or that of the gateway. */
const projectOf = (file: string) => /^(?:src|packages\/[^/]+\/src)(?=\/)/.exec(file)?.[0];

describe('architecture', () => {
  test('each folder with several folders has an order', () => {
    const without = ordered.flatMap((folder) => {
      const parts =
        folder === 'src'
          ? [...subfoldersOf(imports, folder), ...filesIn(folder)]
          : subfoldersOf(imports, folder);
      const missing = parts.filter((part) => !orders[folder]?.includes(part));
      return parts.length > 1 && projectOf(`${folder}/`) !== undefined && missing.length > 0
        ? [`${folder}: ${missing.join(', ')}`]
        : [];
    });
    expect(without).toEqual([]);
  });

  test.each(Object.entries(orders))('%s imports in its order', (folder, order) => {
    const exist = [...subfoldersOf(imports, folder), ...filesIn(folder)];
    expect(order.filter((part) => !exist.includes(part))).toEqual([]);
    expect(waysBack(imports, folder, order)).toEqual([]);
  });

  test('only lists of plug-ins and the tools for authors import plug-ins', () => {
    const users = /^src\/(?:plugins|exports|cli|author)\//;
    const others = [...imports]
      .filter(
        ([file, targets]) => !users.test(file) && targets.some((target) => target.startsWith('src/plugins/')),
      )
      .map(([file]) => file);
    expect(others).toEqual([]);
  });

  test.each(subfoldersOf(imports, 'src/plugins'))(
    'the plug-in %s imports what those of others can, and nothing else of its neighbours',
    (folder) => {
      const names = privateNames(files, `src/plugins/${folder}`);
      const listed = [...names].map(([name, users]) => `${name} ← ${users.join(', ')}`);
      expect(listed).toEqual([]);
    },
  );

  test('the commands that serve are built on what the package exports', () => {
    const serving = /^src\/cli\/(?:start\/|commands\/(?:start|dev|health)\.ts$|[^/]+$)/;
    const face = /^src\/(?:index\.ts$|exports\/|author\/|cli\/)/;
    /** Settings of the command line, and what it needs before the library is loaded. */
    const others = [
      'config.ts',
      'config/former-settings.ts',
      'config/settings.ts',
      'errors.ts',
      'exit-code.ts',
      'optional-packages.ts',
      'package-files.ts',
      'problems/print-problems.ts',
      'version.ts',
      'visible-text.ts',
    ];
    const further = [...imports]
      .filter(([file]) => serving.test(file))
      .flatMap(([file, targets]) =>
        targets
          .filter((target) => !face.test(target) && !others.includes(target.replace('src/', '')))
          .map((target) => `${file} → ${target}`),
      );
    expect(further).toEqual([]);
  });

  test('no circle of folders and files at any level', () => {
    expect(ordered.flatMap((folder) => circleIn(imports, folder) ?? [])).toEqual([]);
  });

  test('no circle of files where folders may import each other', () => {
    const flat = new Map(
      [...imports]
        .filter(([file]) => knots.some((folder) => file.startsWith(`${folder}/`)))
        .map(([file, targets]) => [flatten(file), targets.map(flatten)]),
    );
    expect(circleIn(flat, 'all')).toBeUndefined();
  });

  test('an arrow that is turned is named with its imports', () => {
    const [low, high] = ['src/catalog/model/saved-query.ts', 'src/catalog/folder/load-catalog.ts'];
    expect(imports.get(high)).toContain(low);
    const turned = new Map(imports).set(low, [high]);
    expect(circleIn(turned, 'src/catalog')?.split('\n')).toEqual([
      'src/catalog: model → folder → model',
      '  model/saved-query.ts → folder/load-catalog.ts',
      expect.stringMatching(/^ {2}folder\/\S+ → model\/\S+, and \d+ more$/),
    ]);
    expect(waysBack(turned, 'src/catalog', orders['src/catalog'] ?? [])).toEqual([
      'src/catalog: model → folder\n  model/saved-query.ts → folder/load-catalog.ts',
    ]);
  });

  test('a way back through a file beside the folders is found', () => {
    const graph = new Map([
      ['src/a/one.ts', ['src/between.ts']],
      ['src/between.ts', ['src/b/two.ts']],
      ['src/b/two.ts', []],
    ]);
    expect(waysBack(graph, 'src', ['b', 'a'])).toEqual([]);
    expect(waysBack(graph, 'src', ['a', 'b'])).toEqual([
      'src: a → between.ts → b\n  a/one.ts → between.ts\n  between.ts → b/two.ts',
    ]);
  });

  test('the gateway imports packages by their names only, and packages nothing of it', () => {
    const ofPackages = readImports(
      globSync('packages/*/{test,conformance}/**/*.ts', { exclude: isInstalled }),
    );
    const across = [...imports].flatMap(([file, targets]) =>
      targets
        .filter((target) => packageOf(target) !== packageOf(file))
        .map((target) => `${file} → ${target}`),
    );
    const ofTests = [...ofPackages].flatMap(([file, targets]) =>
      targets.filter((target) => target.startsWith('src/')).map((target) => `${file} → ${target}`),
    );
    expect([...across, ...ofTests]).toEqual([]);
  });

  test('the gateway imports public subpaths of packages', () => {
    const imported = files
      .filter((file) => file.startsWith('src/'))
      .flatMap((file) => [...readFileSync(file, 'utf8').matchAll(/from '(@querygate\/[\w-]+)([^']*)'/g)])
      .map(([, name = '', path = '']) => [name, `.${path}`] as const);
    const hidden = imported.filter(([name, path]) => !Object.hasOwn(exportsOf(name), path));
    expect(imported.length).toBeGreaterThan(100);
    expect(hidden).toEqual([]);
  });

  test('no base name stands more than twice', () => {
    const names = Map.groupBy(files, (file) => basename(file));
    const repeated = [...names].filter(([, { length }]) => length > 2);
    expect(repeated).toEqual([]);
  });

  test('a file of twelve lines or less has two users, or is a contract', () => {
    const users = Map.groupBy(
      [...imports].flatMap(([file, targets]) => [...new Set(targets)].map((target) => ({ file, target }))),
      ({ target }) => target,
    );
    const small = files.filter((file) => readFileSync(file, 'utf8').split('\n').length - 1 <= 12);
    const ofOneUser = small.filter((file) => users.get(file)?.length === 1);
    const isEntry = (file: string) =>
      packageFolders.some((folder) => [...entryFiles(folder).values()].includes(file));
    expect(ofOneUser.filter((file) => !contracts.test(file) && !isEntry(file))).toEqual([]);
  });

  test('no folder has more than about a dozen files', () => {
    const counts = Map.groupBy(files, dirname);
    const tooLarge = [...counts].filter(([, { length }]) => length > 15).map(([folder]) => folder);
    expect(tooLarge).toEqual([]);
  });
});

const isInstalled = (path: string) => path.includes('node_modules');

/** `packages/pages`; undefined for files of the gateway. */
const packageOf = (file: string) => /^packages\/[^/]+/.exec(file)?.[0];

const exportsOf = (name: string): object =>
  JSON.parse(readFileSync(`${name.replace('@querygate', 'packages')}/package.json`, 'utf8')).exports;

function filesIn(folder: string): readonly string[] {
  return files.filter((file) => dirname(file) === folder).map((file) => file.slice(folder.length + 1));
}

/** Each file as one of one folder. */
function flatten(file: string): string {
  return `all/${file.replaceAll('/', '|')}`;
}
