import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { contentOf, readFiles, readParts, tablesFolder } from 'querygate/catalog';
import type { CatalogFiles, FileContent, FolderParts } from '../catalog-types.ts';
import { type ImportRecord, readRecord, recordOf, writeRecord } from './import-record.ts';
import { isPart, type NodeFile } from './node-files.ts';

/** A queries folder into which a project is imported: files that an author wrote or changed are kept. */
export class TargetFolder {
  readonly path: string;
  readonly #files: CatalogFiles;
  readonly #record: ImportRecord;
  readonly #force: boolean;
  /** The files that this import neither writes again nor removes, and the parts among them. */
  readonly #others: CatalogFiles;
  readonly #parts: FolderParts;

  readonly #stays: (node: string) => boolean;

  /**
   * @param force true if files of authors are replaced
   * @param stays true for a node whose file of an earlier import is not removed
   * @throws ProblemError
   */
  constructor(path: string, force: boolean, stays: (node: string) => boolean) {
    this.path = path;
    this.#force = force;
    this.#stays = stays;
    this.#files = existsSync(path) ? readFiles(path) : new Map();
    this.#record = readRecord(path);
    this.#others = new Map([...this.#files].filter(([one]) => !this.#isReplaced(one)));
    this.#parts = readParts(path, this.#others);
  }

  /** The part of a node that an earlier import has written. */
  partOf(node: string): string | undefined {
    return [...this.#record].find(
      ([path, entry]) => entry.node === node && this.#files.has(path) && isPart({ path }),
    )?.[0];
  }

  /** True if an author declares a table. @param name in lower case */
  hasTable(name: string): boolean {
    const path = `${tablesFolder}/${name}.json`;
    return [...this.#others.keys()].some((one) => one.toLowerCase() === path);
  }

  /** The file in which an author defines a relation, unless it is the one that is written. */
  definitionOf(relation: readonly string[], { path }: NodeFile): string | undefined {
    const found = this.#parts.library.tableNamed(relation);
    const file = found && 'unit' in found ? found.unit.file : undefined;
    return file === join(this.path, path) ? undefined : file;
  }

  /** The files of the folder after the import of some. */
  filesWith(imported: readonly NodeFile[]): Map<string, FileContent> {
    const files = new Map(this.#others);
    for (const file of imported) if (!this.isKept(file)) files.set(this.#pathOf(file), contentOf(file.text));
    return files;
  }

  /** True if an author has written the file otherwise. */
  isKept(file: NodeFile): boolean {
    const path = this.#pathOf(file);
    const text = this.#textAt(path);
    return text !== undefined && text !== file.text && !this.#force && !this.#isImported(path);
  }

  /** Writes files, and removes those that an earlier import wrote for nodes that have none now. */
  write(imported: readonly NodeFile[]): void {
    const written = new Set<string>();
    this.#recordBoth(imported);
    for (const file of imported) {
      const path = this.#pathOf(file);
      written.add(path);
      if (this.isKept(file)) {
        this.#record.delete(path);
        this.#say(`Kept ${join(this.path, path)}: it is not as dbt has it; --force replaces it`);
        continue;
      }
      this.#record.set(path, recordOf(file.node.id, file.text));
      if (this.#textAt(path) === file.text) continue;
      const verb = this.#files.has(path) ? 'Changed' : 'Wrote';
      mkdirSync(dirname(join(this.path, path)), { recursive: true });
      writeFileSync(join(this.path, path), file.text);
      this.#say(`${verb} ${join(this.path, path)}`);
    }
    for (const [path, { node }] of this.#record) {
      if (written.has(path) || this.#stays(node)) continue;
      if (this.#isReplaced(path)) {
        rmSync(join(this.path, path));
        this.#say(`Removed ${join(this.path, path)}: ${node} is not imported any more`);
      }
      this.#record.delete(path);
    }
    if (this.#record.size > 0) writeRecord(this.path, this.#record);
  }

  /** An import that is interrupted leaves some files as they were, and others as it writes them: neither are an author's. */
  #recordBoth(imported: readonly NodeFile[]): void {
    const both = new Map(this.#record);
    for (const file of imported) {
      const path = this.#pathOf(file);
      const text = this.#textAt(path);
      const former = text === undefined ? undefined : recordOf('', text).sha256;
      if (!this.isKept(file)) both.set(path, { ...recordOf(file.node.id, file.text), former });
    }
    mkdirSync(this.path, { recursive: true });
    if (both.size > 0) writeRecord(this.path, both);
  }

  #say(text: string): void {
    process.stderr.write(`${text}.\n`);
  }

  /** Names of files differ in more than their case. */
  #pathOf({ path }: NodeFile): string {
    if (this.#files.has(path)) return path;
    return [...this.#files.keys()].find((one) => one.toLowerCase() === path.toLowerCase()) ?? path;
  }

  #textAt(path: string): string | undefined {
    const content = this.#files.get(path);
    return content && ('text' in content ? content.text : '');
  }

  /** True if a file is as an earlier import has written it, and this one writes it again or removes it. */
  #isReplaced(path: string): boolean {
    return this.#isImported(path) && !this.#stays(this.#record.get(path)?.node ?? '');
  }

  /** True if a file is as an earlier import has written it. */
  #isImported(path: string): boolean {
    const text = this.#textAt(path);
    const entry = this.#record.get(path);
    if (text === undefined || entry === undefined) return false;
    return [entry.sha256, entry.former].includes(recordOf('', text).sha256);
  }
}
