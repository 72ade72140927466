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
  const known = new Set(
    exportedNames().flatMap(({ declaration, members = [] }) => [
      declaration,
      ...members.map((member) => member.declaration),
    ]),
  );
  const imported = files
    .filter((file) => file.startsWith(`${folder}/`))
    .flatMap((file) => importedNames(file).map((name) => ({ file, ...name })))
    .filter(({ source }) => !source.startsWith(`${folder}/`))
    .filter(({ source, name }) => !known.has(declared(source, name).declaration));
  const byName = Map.groupBy(imported, ({ source, name }) => `${source}: ${name}`);
  return new Map([...byName].map(([name, uses]) => [name, uses.map(({ file }) => file)]));
}

/** What a file imports by paths, each name for itself; a file that is loaded later is one name. */
function importedNames(file: string): readonly { readonly source: string; readonly name: string }[] {
  const text = readFileSync(file, 'utf8');
  const at = (path: string) => normalize(join(dirname(file), path));
  const listed = [
    ...text.matchAll(/^(?:import|export) (?:type )?(?:\{([^}]*)\}|(\* as \w+|\w+)) from '(\.[^']+)'/gm),
  ];
  const loaded = [...text.matchAll(/import\(\s*'(\.[^']+)'/g)];
  return [
    ...listed.flatMap(([, names, other = '', path = '']) =>
      (names ?? other)
        .split(',')
        .map((one) =>
          one
            .replace(/^\s*type\s/, '')
            .trim()
            .replace(/ as .*/, ''),
        )
        .filter((name) => name !== '')
        .map((name) => ({ source: at(path), name })),
    ),
    ...loaded.map(([, path = '']) => ({ source: at(path), name: '*' })),
  ];
}
