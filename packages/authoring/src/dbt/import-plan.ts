import { contentOf, type Dialect, tablesFolder } from 'querygate/catalog';
import type { FileContent } from '../catalog-types.ts';
import type { DbtNode } from './manifest.ts';
import { isPart, type NodeFile, notCompiled, partFile, tableFile } from './node-files.ts';
import { refuseParts } from './refuse-parts.ts';
import type { TargetFolder } from './target-folder.ts';

/** Which files of a queries folder the nodes of a project become. */
export class ImportPlan {
  readonly #folder: TargetFolder;
  /** By path in lower case. */
  readonly #files = new Map<string, NodeFile>();
  /** By the name of their table, in lower case: a table of a queries folder has no dataset. */
  readonly #byTable: ReadonlyMap<string, readonly DbtNode[]>;
  /** For the author: which nodes are not imported, or not as they are. */
  readonly notes: string[] = [];
  /** Models that dbt has only parsed. */
  readonly notCompiled: string[] = [];
  /** The same, where the part of an earlier import is kept. */
  readonly stays: string[] = [];

  /** @param nodes those that are relations, or ephemeral */
  constructor(nodes: readonly DbtNode[], folder: TargetFolder, dialect: Dialect) {
    this.#folder = folder;
    this.#byTable = Map.groupBy(nodes, ({ path }) => tableName(path));
    const made = nodes.map((node) => ({ node, part: node.kind === 'model' ? partFile(node) : undefined }));
    this.#addParts(made.flatMap(({ part }) => (part && 'path' in part ? part : [])));
    for (const { node, part } of made) {
      if (part === undefined) this.#addTable(node);
      else if ('reason' in part) this.#addOther(node, part.reason);
    }
    this.#refuseParts(dialect);
  }

  get files(): readonly NodeFile[] {
    return [...this.#files.values()];
  }

  #addParts(parts: readonly NodeFile[]): void {
    const places = Map.groupBy(parts, ({ path }) => path.toLowerCase());
    for (const part of parts) {
      const { node, path } = part;
      const same = places.get(path.toLowerCase())?.find((one) => one !== part);
      const definition = this.#folder.definitionOf(node.path, part);
      if (same) this.notes.push(`${node.id} is left out: ${same.node.id} would be the same file, ${path}`);
      else if (definition) this.notes.push(`${node.id} is left out: ${definition} defines it`);
      else this.#files.set(path.toLowerCase(), part);
    }
  }

  /** A source, seed or snapshot. */
  #addTable(node: DbtNode): void {
    const reason = this.#tableProblem(node);
    const isDeclared = this.#folder.hasTable(tableName(node.path));
    if (reason !== undefined && !isDeclared) this.notes.push(`${node.id} is left out: ${reason}`);
  }

  /** A model that is not a part by itself. */
  #addOther(node: DbtNode, why: string): void {
    if (why === notCompiled && this.#folder.partOf(node.id) !== undefined)
      return void this.stays.push(node.id);
    const reason = this.#tableProblem(node);
    if (reason === undefined) this.notes.push(`${node.id} is a table: ${why}`);
    else if (why === notCompiled) this.notCompiled.push(node.id);
    else
      this.notes.push(
        `${node.id} is left out: ${node.path.length === 0 || why === reason ? why : `${why}; ${reason}`}`,
      );
  }

  /** Makes a node a table. @returns why it cannot be one */
  #tableProblem(node: DbtNode): string | undefined {
    const made = tableFile(node);
    if ('reason' in made) return made.reason;
    const other = this.#othersNamed(node).find(
      (one) => (one.kind !== 'model' || node.kind === 'model') && 'path' in tableFile(one),
    );
    if (other !== undefined) return `${other.id} has the same name, and tables here are without a dataset`;
    if (made.note !== undefined) this.notes.push(`${node.id}: ${made.note}`);
    this.#files.set(made.path.toLowerCase(), made);
    return undefined;
  }

  /** Others of the same name that are no parts. */
  #othersNamed(node: DbtNode): readonly DbtNode[] {
    const parts = new Set(this.files.filter(isPart).map((file) => file.node));
    const named = this.#byTable.get(tableName(node.path)) ?? [];
    return named.filter((one) => one !== node && !parts.has(one));
  }

  /** Leaves out the parts that would not be served. */
  #refuseParts(dialect: Dialect): void {
    const files = this.#folder.filesWith(this.files);
    const parts = this.files.filter((file) => isPart(file) && !this.#folder.isKept(file));
    refuseParts(this.#folder.path, files, parts, {
      dialect,
      readProblem: (path) => this.#readProblem(path),
      onRefused: ({ node, path }, reason) => {
        this.#files.delete(path.toLowerCase());
        this.#addInstead(node, reason, files);
      },
    });
  }

  #addInstead(node: DbtNode, reason: string, files: Map<string, FileContent>): void {
    if (this.#tableProblem(node) !== undefined) {
      this.notes.push(`${node.id} is left out: ${reason}`);
      return;
    }
    this.notes.push(`${node.id} is a table: ${reason}`);
    const made = tableFile(node);
    if ('path' in made && !this.#folder.isKept(made)) files.set(made.path, contentOf(made.text));
  }

  /** Why a table cannot be read: a table of the folder has its name, and is another one. */
  #readProblem(path: readonly string[]): string | undefined {
    const key = path.join('.').toLowerCase();
    const node = this.#byTable
      .get(tableName(path))
      ?.find((one) => path.length > 1 && `.${one.path.join('.')}`.toLowerCase().endsWith(`.${key}`));
    const table = this.#files.get(`${tablesFolder}/${tableName(path)}.json`);
    if (node === undefined || table?.node === node) return undefined;
    const isOfAuthor = table === undefined && this.#folder.hasTable(tableName(path));
    const other = isOfAuthor ? this.#othersNamed(node)[0] : table?.node;
    return (
      other && `it reads ${node.id}, and ${other.id} has the same name: tables here are without a dataset`
    );
  }
}

const tableName = (path: readonly string[]): string => path.at(-1)?.toLowerCase() ?? '';
