import { copyFileSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { lockFile } from '../../src/keys/file/file-lock.ts';

/** Of one run of Vitest: its configuration names the folder, and `removeDemoStores` removes it. */
const folder = process.env.TEST_DEMO_STORES;

let copies = 0;

/** Starts a gateway that has made the rows of the demo when it has started. */
type MakeStore = (storeFile: string) => Promise<{ end(): Promise<unknown> }>;

/**
 * A store with the rows of the demo until now. To make them takes four seconds of processor time, so that one gateway makes
 * them for all tests of a run, and each other one gets a copy: it appends what is later.
 *
 * @returns its file; undefined for a gateway without the demo, and outside of Vitest
 */
export async function demoStore(
  env: Readonly<Record<string, string>>,
  make: MakeStore,
): Promise<string | undefined> {
  if (folder === undefined || !hasDemo(env)) return undefined;
  mkdirSync(folder, { recursive: true });
  const made = join(folder, 'made');
  const release = await lockFile(made, 100_000);
  try {
    if (!existsSync(made)) await (await make(made)).end();
  } finally {
    release();
  }
  copies += 1;
  const copy = join(folder, `${process.pid}-${copies}`);
  copyFileSync(made, copy);
  return copy;
}

/** For processes that keep the rows of the demo themselves: not where the user of this machine has them. */
export const demoCache = (): Readonly<Record<string, string>> =>
  folder === undefined ? {} : { XDG_CACHE_HOME: folder };

const hasDemo = ({
  DATA_DIR,
  ENGINE,
  STORE_FILE,
  QUERIES_DIR = 'queries',
}: Readonly<Record<string, string>>) =>
  (DATA_DIR ?? ENGINE ?? STORE_FILE) === undefined && existsSync(join(QUERIES_DIR, 'demo'));

/** Vitest calls it before all tests, and what it returns after them. */
export default function removeDemoStores({ config }: TestProject): () => void {
  return () => rmSync(config.env.TEST_DEMO_STORES ?? '', { recursive: true, force: true });
}
