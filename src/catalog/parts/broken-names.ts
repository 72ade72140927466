import { foldName } from '@querygate/text';
import type { PartFile } from './part-file.ts';

/** A definition in a text that need not be SQL. */
const definition =
  /\bCREATE\s+(?:OR\s+REPLACE\s+)?(?:TEMP(?:ORARY)?\s+)?(?:MATERIALIZED\s+|AGGREGATE\s+)?(VIEW|FUNCTION|TABLE(?:\s+FUNCTION)?)\s+(?:IF\s+NOT\s+EXISTS\s+)?((?:`[^`\n]+`|[\w-]+)(?:\.(?:`[^`\n]+`|[\w-]+))*)/gi;

type Kind = 'table' | 'function';

/** The names in files of definitions with problems: that they are not there is no further problem. */
export class BrokenNames {
  readonly #files = new Map<string, PartFile>();

  /** @param file with or without problems */
  add(file: PartFile): void {
    if (file.problems.length === 0) return;
    for (const [, what = '', name = ''] of file.fileText.matchAll(definition)) {
      const kind: Kind = /^function$/i.test(what) ? 'function' : 'table';
      this.#files.set(keyOf(kind, name.replaceAll('`', '').split('.')), file);
    }
  }

  get size(): number {
    return this.#files.size;
  }

  find(kind: Kind, path: readonly string[]): { readonly broken: PartFile } | undefined {
    const broken = path.length > 3 ? undefined : this.#files.get(keyOf(kind, path));
    return broken && { broken };
  }
}

/** Without the project, which may be left out. */
const keyOf = (kind: Kind, path: readonly string[]): string =>
  `${kind} ${foldName(path.slice(-2).join('.'))}`;
