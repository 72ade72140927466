import { stat } from 'node:fs/promises';
import type { Bindings, FileRead } from '@querygate/bigquery-sql/duckdb';
import { nowParameter } from '@querygate/bigquery-sql/tree';
import type { TableInStore } from '../table-in-store.ts';
import { footerDigest } from '../file-digests.ts';
import { isRemote } from '../remote-path.ts';
import {
  filesRelation,
  type LakeRows,
  type NoRows,
  type PastRows,
  type RowsInPlace,
} from './files-relation.ts';
import { comparable, mayHaveRows } from './may-have-rows.ts';
import type { PlacedFile } from './placed-file.ts';

/** The rows of a table that are read where they are. */
export type FilesOfTable = RowsInPlace;

const noFiles: FilesOfTable = { files: [], hasImported: true };

/** How many relations of some files are kept as text, of each table. */
const maxTexts = 64;

/** A file that was compared. */
type Touch = Pick<PlacedFile, 'number' | 'identity' | 'ctime' | 'digest'>;

/** The files of tables that are read where they are, as the manifest has them. */
export class FilesInPlace {
  readonly #byTable = new Map<string, FilesOfTable>();
  /** By the view that statements read. */
  readonly #layouts = new Map<string, Layout>();
  /** Counts the changes to the files of tables, each once before and once after it. */
  readonly #changes = new Map<string, number>();
  #since: bigint | undefined;

  of(table: string): FilesOfTable {
    return this.#byTable.get(table) ?? noFiles;
  }

  /** Later statements leave out rows of files from before a time. @returns the statements that make views do */
  hideBefore(time: Date): readonly string[] {
    this.#since = BigInt(time.getTime()) * 1000n;
    const layouts = [...this.#layouts.values()];
    for (const { texts } of layouts) texts.clear();
    return layouts.map(({ table }) => this.viewSql(table));
  }

  viewSql(table: TableInStore, files: FilesOfTable = this.of(table.name)): string {
    return `CREATE OR REPLACE VIEW ${table.relation} AS ${filesRelation(table, { ...files, since: this.#since })}`;
  }

  /** Files are the same although the time of their last change, or the number of their device, is another one. */
  touch(entries: readonly Touch[]): void {
    const touched = new Map(
      entries.map(({ number, identity, ctime, digest }) => [number, { identity, ctime, digest }]),
    );
    for (const [table, rows] of this.#byTable)
      this.#byTable.set(table, {
        ...rows,
        files: rows.files.map((file) => ({ ...file, ...touched.get(file.number) })),
      });
  }

  /** Forgets the files of a table whose rows have been dropped. Its views are left as they are, for queries of before. */
  forget(table: string): void {
    this.#byTable.delete(table);
  }

  setLayout(table: TableInStore): void {
    if (table.isInFiles) this.#layouts.set(table.relation, { table, texts: new Map() });
  }

  forgetLayout(relation: string): void {
    this.#layouts.delete(relation);
  }

  /** Changes the files of tables with a transaction: a statement that runs meanwhile does not count. */
  async change(next: ReadonlyMap<string, FilesOfTable>, commit: () => Promise<unknown>): Promise<void> {
    const count = () => {
      for (const table of next.keys()) this.#changes.set(table, (this.#changes.get(table) ?? 0) + 1);
    };
    count();
    try {
      await commit();
      for (const [table, files] of next) this.#byTable.set(table, files);
      for (const { table, texts } of this.#layouts.values()) if (next.has(table.name)) texts.clear();
    } finally {
      count();
    }
  }

  /** Begins to read tables; undefined if none of them has files that are read where they are. */
  read(tables: readonly string[]): FilesReading | undefined {
    const inFiles = tables.filter((table) => isInPlace(this.of(table)));
    return inFiles.length === 0 ? undefined : new FilesReading(this, inFiles);
  }

  /** The snapshot of a lake at which the rows of tables have changed last; undefined unless all of them are in one. */
  versionOf(tables: readonly string[]): string | undefined {
    const versions = tables.flatMap((table) => this.of(table).lake?.version ?? []);
    return versions.length === 0 || versions.length < tables.length
      ? undefined
      : String(Math.max(...versions));
  }

  /** The number of changes to tables so far. */
  changesOf(tables: readonly string[]): string {
    return tables.map((table) => this.#changes.get(table) ?? 0).join();
  }

  /**
   * The rows of the time at which a statement reads a table; undefined for those of now.
   *
   * @param snapshots of times that are known; those that are looked up are added
   * @throws InvalidSnapshotTime
   */
  async past(
    { relation, systemTime }: FileRead,
    bindings: Bindings,
    snapshots: Snapshots,
  ): Promise<LakeRows | undefined> {
    if (systemTime === undefined) return undefined;
    const name = this.#layouts.get(relation)?.table.name ?? '';
    const { past } = this.of(name);
    if (past === undefined) throw new Error(`${name} has only its rows of now`);
    const { value, parameters } = systemTime;
    const [moment, now] = [value, currentTime].map((one) => comparable(one, bindings));
    if (typeof moment !== 'bigint') throw new InvalidSnapshotTime('NULL is not a time', parameters);
    const isFuture = typeof now === 'bigint' && moment > now;
    const found = isFuture ? { problem: 'it is in the future' } : await rowsAt(past, moment, snapshots);
    if ('problem' in found) {
      const time = new Date(Number(moment) / 1000).toISOString();
      throw new InvalidSnapshotTime(`${time}: ${found.problem}`, parameters);
    }
    return found;
  }

  /** The files that a statement has to read, and the relation of them. @param past rows to read in place of those of now */
  choose(
    { relation, columns, conditions }: FileRead,
    bindings: Bindings,
    past: LakeRows | undefined,
  ): Chosen | undefined {
    const layout = this.#layouts.get(relation);
    if (layout === undefined) return undefined;
    const { table, texts } = layout;
    const { files: all, ...now } = this.of(table.name);
    const rows = past ? { ...now, lake: past } : now;
    const files = all.filter((file) => mayHaveRows(file, conditions, bindings));
    const key = JSON.stringify([files.map(({ number }) => number), [...columns], past?.from]);
    const { lake } = rows;
    const known = texts.get(key);
    if (known !== undefined) return { files, sql: known, lake };
    const sql = `(${filesRelation(table, { ...rows, files, since: this.#since, columns })})`;
    if (texts.size >= maxTexts) texts.clear();
    texts.set(key, sql);
    return { files, sql, lake };
  }
}

/** A table had no rows at the time that a statement names. */
export class InvalidSnapshotTime extends Error {
  /** The names of the parameters that the time comes from. */
  readonly parameters: readonly string[];

  constructor(problem: string, parameters: readonly string[]) {
    super(`invalid snapshot time: ${problem}`);
    this.parameters = parameters;
  }
}

const currentTime = {
  kind: 'parameter',
  name: nowParameter,
  type: { kind: 'scalar', name: 'TIMESTAMP' },
} as const;

/** True if a table has rows that are read where they are. */
export const isInPlace = ({ files, lake }: FilesOfTable): boolean => files.length > 0 || lake !== undefined;

/** The snapshots of a lake at times, in microseconds since the epoch. */
type Snapshots = Map<bigint, Promise<number | NoRows>>;

async function rowsAt(past: PastRows, moment: bigint, snapshots: Snapshots): Promise<LakeRows | NoRows> {
  const looking = snapshots.get(moment) ?? past.snapshotAt(moment);
  snapshots.set(moment, looking);
  const snapshot = await looking;
  return typeof snapshot === 'number' ? past.rowsAt(snapshot) : snapshot;
}

interface Layout {
  readonly table: TableInStore;
  /** Relations by the numbers of their files. */
  readonly texts: Map<string, string>;
}

interface Chosen {
  readonly files: readonly PlacedFile[];
  readonly sql: string;
  readonly lake: LakeRows | undefined;
}

/** The files that one statement reads. */
export class FilesReading {
  readonly #files: FilesInPlace;
  readonly #tables: readonly string[];
  readonly #changes: string;
  readonly #all: readonly PlacedFile[];
  /** As `versionOf`, of the rows that are read. */
  readonly dataVersion: string | undefined;
  /** Of the statements of which the files were chosen. */
  readonly #chosen: (readonly PlacedFile[])[] = [];
  /** A transaction that ends meanwhile may have an earlier time: all statements read the same snapshot of a time. */
  readonly #snapshots: Snapshots = new Map();
  /** The tables of lakes that statements read. */
  readonly #lakes = new Set<LakeRows>();
  /** True while each statement names the snapshot of a lake that it reads: later ones do not change its rows. */
  #namesSnapshots = true;

  constructor(files: FilesInPlace, tables: readonly string[]) {
    this.#files = files;
    this.#tables = tables;
    this.#changes = files.changesOf(tables);
    this.dataVersion = files.versionOf(tables);
    this.#all = tables.flatMap((table) => files.of(table).files);
  }

  /** The relations of the files that may have rows for these values; without it, all are read. @throws InvalidSnapshotTime */
  async relations(reads: readonly FileRead[], bindings: Bindings): Promise<readonly string[] | undefined> {
    const past = await Promise.all(reads.map((read) => this.#files.past(read, bindings, this.#snapshots)));
    const chosen = reads.flatMap((read, at) => this.#files.choose(read, bindings, past[at]) ?? []);
    if (chosen.length < reads.length) return undefined;
    this.#chosen.push(chosen.flatMap(({ files }) => files));
    for (const { lake } of chosen) if (lake) this.#lakes.add(lake);
    this.#namesSnapshots &&= this.#isCurrent();
    return chosen.map(({ sql }) => sql);
  }

  /** A statement reads all files. */
  readAll(): void {
    this.#chosen.push(this.#all);
    for (const table of this.#tables) {
      const { lake } = this.#files.of(table);
      if (lake) this.#lakes.add(lake);
    }
    this.#namesSnapshots = false;
  }

  /** False if a file, or the list of them, has changed since the beginning: the rows may be a mixture. */
  async isUnchanged(): Promise<boolean> {
    for (const { isUnchanged } of this.#lakes) if ((await isUnchanged?.()) === false) return false;
    if (this.dataVersion !== undefined && this.#namesSnapshots && this.#chosen.length > 0) return true;
    const same = await Promise.all(this.files().map(isAsKnown));
    return same.every(Boolean) && this.#isCurrent();
  }

  /** The files that were read: all, unless statements have chosen some. */
  files(): readonly PlacedFile[] {
    return this.#chosen.length === 0 ? this.#all : [...new Set(this.#chosen.flat())];
  }

  #isCurrent(): boolean {
    return this.#files.changesOf(this.#tables) === this.#changes;
  }
}

async function isAsKnown({ path, identity, size, mtime, ctime, digest }: PlacedFile): Promise<boolean> {
  // DuckDB compares the tag of a file in a bucket with each request.
  if (isRemote(path)) return true;
  try {
    const now = await stat(path, { bigint: true });
    const isSame = `${now.dev}:${now.ino}` === identity && Number(now.size) === size && now.mtimeNs === mtime;
    if (!isSame || ctime === undefined || now.ctimeNs === ctime) return isSame;
    return (await footerDigest(path, size)) === digest;
  } catch {
    return false;
  }
}
