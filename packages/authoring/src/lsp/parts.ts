import { basename, dirname, join } from 'node:path';
import { innerFolders, readFolder, readParts } from 'querygate/catalog';
import type { CatalogFiles, FolderParts } from '../catalog-types.ts';
import { versionOfFolder } from './folder-version.ts';

/** The queries, views and functions beside saved queries, as their files are now. */
export interface Parts {
  /** @param file of a query, which has the text in an editor */
  of(file: string, text: string): FolderParts;
  /** As the files of a folder have them. */
  in(folder: string): FolderParts;
}

/** Reads the files of a folder again only if one has changed. */
export function openParts(): Parts {
  const known = new Map<
    string,
    { readonly version: string; readonly files: CatalogFiles; parts?: FolderParts }
  >();
  const partsIn = (folder: string, open: CatalogFiles): FolderParts => {
    const version = versionOf(folder);
    const before = known.get(folder);
    const files = before?.version === version ? before.files : filesIn(folder);
    const parts = readParts(folder, new Map([...files, ...open]), before?.parts?.library.files);
    known.set(folder, { version, files, parts });
    return parts;
  };
  return {
    of: (file, text) => partsIn(dirname(file), new Map([[basename(file), { text }]])),
    in: (folder) => partsIn(folder, new Map()),
  };
}

function filesIn(folder: string): CatalogFiles {
  try {
    return readFolder(folder);
  } catch {
    return new Map();
  }
}

const versionOf = (folder: string): string =>
  [
    versionOfFolder(folder),
    ...Object.keys(innerFolders).map((inner) => versionOfFolder(join(folder, inner), { recursive: true })),
  ].join('\n\n');
