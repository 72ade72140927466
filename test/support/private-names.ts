import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { declared, exportedNames } from '../../release/exports.ts';

/**
 * The names that files of a folder import from elsewhere in the gateway though nobody else can: as `file: name`, with the files
 * that import them. Public is what an entry of `package.json` exports, wherever it is declared.
 *
 * @param folder with everything below it
 */
export function privateNames(
  files: readonly string[],
  folder: string,
): ReadonlyMap<string, readonly string[]> {
  const known = exportedNames().flatMap((one) => [one, ...(one.members ?? [])]);
  const values = new Set(known.filter(({ isType }) => !isType).map(({ declaration }) => declaration));
  const all = new Set(known.map(({ declaration }) => declaration));
  const imported = files
    .filter((file) => file.startsWith(`${folder}/`))
    .flatMap((file) => importedNames(file).map((name) => ({ file, ...name })))
    .filter(({ source }) => !source.startsWith(`${folder}/`))
    .filter(({ source, name, isType }) => !(isType ? all : values).has(declared(source, name).declaration));
  const byName = Map.groupBy(imported, ({ source, name }) => `${source}: ${name}`);
  return new Map([...byName].map(([name, uses]) => [name, uses.map(({ file }) => file)]));
}

interface ImportedName {
  readonly source: string;
  readonly name: string;
  readonly isType: boolean;
}

/** What a file imports by paths, each name for itself; a file that is loaded later is one name. */
function importedNames(file: string): readonly ImportedName[] {
  const text = readFileSync(file, 'utf8');
  const at = (path: string) => normalize(join(dirname(file), path));
  const listed = [
    ...text.matchAll(/^(?:import|export) (type )?(?:\{([^}]*)\}|(\* as \w+|\w+)) from '(\.[^']+)'/gm),
  ];
  const loaded = [...text.matchAll(/import\(\s*'(\.[^']+)'/g)];
  return [
    ...listed.flatMap(([, type, names, other = '', path = '']) =>
      (names ?? other).split(',').flatMap((one) => {
        const [, ofOne, name] = /^\s*(type\s+)?([\w*]+)/.exec(one) ?? [];
        const isType = type !== undefined || ofOne !== undefined;
        return name === undefined ? [] : [{ source: at(path), name, isType }];
      }),
    ),
    ...loaded.map(([, path = '']) => ({ source: at(path), name: '*', isType: false })),
  ];
}
