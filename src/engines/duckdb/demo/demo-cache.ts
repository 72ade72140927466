import { hash } from 'node:crypto';
import {
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

/** Stores with rows of the demo, which one start makes and the next ones copy. */
export interface DemoCache {
  /** Copies a kept store to a file, if there is one that is whole. */
  restore(file: string): void;
  /** Keeps a store to which nothing writes, unless there is one of the last hours. */
  keep(file: string): void;
}

/** To make the rows of so many hours takes as long as to keep the store with them. */
const freshMs = 6 * 3_600_000;

/** How long stores stay that no start copies, because other files made their rows. */
const unusedMs = 30 * 86_400_000;

/**
 * The name of a kept store has the digest of its content, so that one that was cut or changed is never used. A folder that
 * cannot be read or written is like an empty one.
 *
 * @param demoDir with the SQL that makes the rows; other SQL, or another DuckDB, has other stores
 */
export function openDemoCache(folder: string, demoDir: string): DemoCache {
  const prefix = `demo-${versionOf(demoDir)}-`;
  const nameOf = (store: Uint8Array) => `${prefix}${hash('sha256', store)}.duckdb`;
  const ageMs = (name: string) => Math.abs(Date.now() - statSync(join(folder, name)).mtimeMs);
  const remove = (name: string) => rmSync(join(folder, name), { force: true });
  const stores = () => readdirSync(folder).filter((name) => name.startsWith('demo-'));
  return {
    restore: (file) =>
      attempt(() => {
        for (const name of stores().filter((one) => one.startsWith(prefix))) {
          const store = readFileSync(join(folder, name));
          if (name === nameOf(store)) return writeFileSync(file, store);
          remove(name);
        }
      }),
    keep: (file) =>
      attempt(() => {
        mkdirSync(folder, { recursive: true });
        const former = stores().filter((name) => name.startsWith(prefix) || ageMs(name) > unusedMs);
        if (former.some((name) => name.startsWith(prefix) && ageMs(name) < freshMs)) return;
        const store = readFileSync(file);
        const written = join(folder, `.${process.pid}`);
        writeFileSync(written, store);
        renameSync(written, join(folder, nameOf(store)));
        for (const name of former) if (name !== nameOf(store)) remove(name);
      }),
  };
}

/** Without the cache, the rows are made at each start. */
function attempt(work: () => void): void {
  try {
    work();
  } catch {
    // The folder cannot be read or written, or another process has just removed a file of it.
  }
}

function versionOf(demoDir: string): string {
  const engine = readFileSync(new URL('../package.json', import.meta.resolve('@duckdb/node-api')), 'utf8');
  const texts = globSync('*.sql', { cwd: demoDir })
    .sort()
    .map((name) => [name, readFileSync(join(demoDir, name), 'utf8')]);
  return hash('sha256', JSON.stringify([JSON.parse(engine).version, texts])).slice(0, 16);
}
