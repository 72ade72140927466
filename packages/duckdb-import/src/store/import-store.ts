import type { ImportStore } from './import-tables.ts';
import type { Store } from './open-store.ts';
import type { StoredTables } from './stored-tables.ts';
import type { TableInStore } from './table-in-store.ts';

/** Called when a table is stored in another layout; resolves when no query reads the old one any longer. */
export type OnRebuilt = (old: TableInStore, rebuilt: TableInStore) => Promise<void>;

/** Stores a table in another layout, and drops the old one when nothing reads it. */
export async function rebuildTable(
  tables: StoredTables,
  name: string,
  repeatedPaths: ReadonlySet<string>,
  onRebuilt: OnRebuilt,
): Promise<void> {
  const { old, drop } = await tables.rebuild(name, repeatedPaths);
  await onRebuilt(old, tables.get(name));
  await drop();
}

/** A store and its tables, as an import gets them. */
export const importStore = (
  connect: ImportStore['connect'],
  { folder, scratch }: Store,
  tables: StoredTables,
  onRebuilt: OnRebuilt = async () => {},
): ImportStore => ({
  ...{ connect, scratch, tables, onOpened: onRebuilt },
  ...(folder !== undefined && { storeFolder: folder }),
  onRepeatedRecord: (table, path) =>
    rebuildTable(tables, table, new Set([...tables.get(table).repeatedPaths, path]), onRebuilt),
});
